/** Imported before a build: each operation on a file or folder of the catalog takes `SLOW_DISK_MS` longer. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

const delayMs = Number(process.env.SLOW_DISK_MS)
const isCatalog = (path) => /[\\/]locales([\\/]|$)/.test(String(path))
const cell = new Int32Array(new SharedArrayBuffer(4))
const wait = () => Atomics.wait(cell, 0, 0, delayMs)
const handles = new Set()

for (const name of ['readdirSync', 'statSync', 'lstatSync', 'existsSync', 'readFileSync', 'realpathSync', 'cpSync']) {
  const real = fs[name]
  fs[name] = Object.assign((path, ...rest) => {
    if (isCatalog(path)) wait()
    return real(path, ...rest)
  }, real)
}
const { openSync, closeSync, copyFileSync } = fs
fs.openSync = (path, ...rest) => {
  if (isCatalog(path)) wait()
  const handle = openSync(path, ...rest)
  if (isCatalog(path)) handles.add(handle)
  return handle
}
fs.closeSync = (handle) => {
  if (handles.delete(handle)) wait()
  return closeSync(handle)
}
/** It opens, reads and closes. */
fs.copyFileSync = (path, ...rest) => {
  if (isCatalog(path)) for (let i = 0; i < 3; i++) wait()
  return copyFileSync(path, ...rest)
}
for (const name of ['readSync', 'fstatSync']) {
  const real = fs[name]
  fs[name] = (handle, ...rest) => {
    if (handles.has(handle)) wait()
    return real(handle, ...rest)
  }
}

const { promises } = fs
for (const name of ['readdir', 'stat', 'lstat', 'access', 'readFile', 'realpath']) {
  const real = promises[name].bind(promises)
  promises[name] = async (path, ...rest) => {
    if (isCatalog(path)) await sleep(delayMs)
    return real(path, ...rest)
  }
}
const open = promises.open.bind(promises)
promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest)
  if (!isCatalog(path)) return handle
  await sleep(delayMs)
  for (const name of ['stat', 'read', 'readFile', 'close']) {
    const real = handle[name].bind(handle)
    handle[name] = async (...given) => {
      await sleep(delayMs)
      return real(...given)
    }
  }
  return handle
}
syncBuiltinESMExports()
