// One run of the built command.
import { pathToFileURL } from 'node:url'

let command

export async function work({ cli, args }) {
  // A process of its own would have heard nothing yet.
  for (const name of ['SIGINT', 'SIGTERM']) process.removeAllListeners(name)
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
  process.argv = [process.execPath, cli, ...args]
  // The file runs the command when it is loaded.
  if (command) await command.run()
  else command = await import(pathToFileURL(cli).href)
}
