/**
 * The object with more properties, which are not enumerable: inspecting, serializing or spreading it shows and copies
 * none of them.
 */
export function withHidden<Visible extends object, Hidden extends object>(
  visible: Visible,
  hidden: Hidden,
): Visible & Hidden {
  const properties = Object.entries(hidden).map(([name, value]) => [name, { value, enumerable: false }] as const)
  return Object.defineProperties(visible, Object.fromEntries(properties)) as Visible & Hidden
}
