/** Imported before a command: prints the most memory of its process at its end, as JSON on the last line. */
import { peakMemory } from './print.mjs'

process.on('exit', () => process.stdout.write(`\n${JSON.stringify({ peak: peakMemory(process.pid) })}\n`))
