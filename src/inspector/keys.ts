import { compareCodeUnits } from '../catalog/model.ts'

/** Most keys stay the same from one moment to the next: those that were sorted before need not be sorted again. */
export function sortedKeys(keys: ReadonlySet<string>, before: readonly string[] | undefined): readonly string[] {
  const isSame = before?.length === keys.size && before.every((key) => keys.has(key))
  return isSame ? before : [...keys].sort(compareCodeUnits)
}
