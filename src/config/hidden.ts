/** Adds non-enumerable properties: inspecting, serializing or spreading the object does not show or copy them. */
export function withHidden<Visible extends object, Hidden extends object>(
  visible: Visible,
  hidden: Hidden,
): Visible & Hidden {
  const properties = Object.entries(hidden).map(([name, value]) => [name, { value, enumerable: false }] as const)
  return Object.defineProperties(visible, Object.fromEntries(properties)) as Visible & Hidden
}
