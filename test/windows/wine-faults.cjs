/**
 * Works around faults of Wine 8 that Windows does not have. Loaded before all else: `NODE_OPTIONS=--require=...`. Each
 * of these lines may hide a fault of ours, so there is nothing here that a test does not need.
 */
const { closeSync, constants, mkdirSync, openSync } = require('node:fs')
const net = require('node:net')
const { tmpdir } = require('node:os')
const { dirname, join } = require('node:path')

// 1. Wine does not find a program by its name in the folder of the running program.
process.env.PATH = `${dirname(process.execPath)};${process.env.PATH}`

// 2. TCP keep-alive that is set before the connection exists breaks the connection: "connect UNKNOWN".
const { setKeepAlive } = net.Socket.prototype
net.Socket.prototype.setKeepAlive = function (...given) {
  if (!this.connecting) return setKeepAlive.apply(this, given)
  return this.once('connect', () => setKeepAlive.apply(this, given))
}

// 3. Several processes can listen at one named pipe. A file that is opened without sharing stands for the pipe: like a
// pipe, the system frees it when its process ends, even after a crash.
const PIPE = /^\\\\[.?]\\pipe\\/i
/** libuv's UV_FS_O_EXLOCK, which Node does not export. */
const EXCLUSIVE = 0x10000000
const { listen } = net.Server.prototype
net.Server.prototype.listen = function (...given) {
  const [address] = given
  if (typeof address !== 'string' || !PIPE.test(address)) return listen.apply(this, given)
  const folder = join(tmpdir(), 'wine-pipes')
  mkdirSync(folder, { recursive: true })
  let handle
  try {
    const name = Buffer.from(address.toLowerCase()).toString('base64url').slice(-200)
    handle = openSync(join(folder, name), constants.O_RDWR | constants.O_CREAT | EXCLUSIVE)
  } catch (cause) {
    const error = Object.assign(new Error(`listen EADDRINUSE: ${address}`), { code: 'EADDRINUSE', address, cause })
    process.nextTick(() => this.emit('error', error))
    return this
  }
  const free = () => {
    if (handle !== undefined) closeSync(handle)
    handle = undefined
  }
  const { close } = this
  this.close = (...rest) => {
    free()
    return close.apply(this, rest)
  }
  this.once('close', free).once('error', free)
  return listen.apply(this, given)
}
