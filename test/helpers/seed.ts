/**
 * Imported by every file with properties: one seed for all of them, printed when it starts. `FC_SEED=<n>` runs the same
 * cases again.
 */
import fc from 'fast-check'

const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31)

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
process.stdout.write(`fast-check: FC_SEED=${seed}\n`)
