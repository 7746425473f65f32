/** Fields for what lies within that field, or in the shape of that title. Pure. */
export function under(title: string, row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [`${title}.${name}`, value]))
}
