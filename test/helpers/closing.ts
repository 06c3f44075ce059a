/** Closes what a helper started: when the running test is over or, from a `beforeAll`, when all tests of the file are. */
import { onTestFinished, TestRunner } from 'vitest'

type Close = () => unknown

const ofThisFile: Close[] = []

export function whenOver(close: Close): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await close()))
  else whenFileIsOver(close)
}

/** When all tests of the file are over, whoever asks. */
export function whenFileIsOver(close: Close): void {
  ofThisFile.push(close)
}

/** `canary-setup.ts` calls this as each file's last hook. What was started last is closed first. */
export async function closeFile(): Promise<void> {
  for (const close of ofThisFile.splice(0).reverse()) await close()
}
