/** `{ [key]: value }`, or nothing where there is no value: absent keys are not written. */
export function given<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  // A computed key loses its name in the type.
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value })
}
