/**
 * Adds non-enumerable properties. They are neither shown nor copied when the object is inspected, serialized or spread.
 */
export function withHidden<Visible extends object, Hidden extends object>(
  visible: Visible,
  hidden: Hidden,
): Visible & Hidden {
  const properties = Object.entries(hidden).map(([name, value]) => [name, { value, enumerable: false }] as const)
  return Object.defineProperties(visible, Object.fromEntries(properties)) as Visible & Hidden
}
