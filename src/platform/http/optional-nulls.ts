/** What matters here of a schema: which members an object may have, and which it must have. */
interface Members {
  properties?: Readonly<Record<string, Members>>
  required?: readonly string[]
  items?: Members
}

/**
 * Removes every optional member whose value is null from a body, at any depth, in place: serialisers of many languages
 * write null for a value that is not set. Leaves required and unknown members, which the schema then rejects.
 */
export function removeOptionalNulls(schema: Members, body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const { properties = {}, required = [], items } = schema
  if (Array.isArray(body)) {
    if (items !== undefined) for (const item of body) removeOptionalNulls(items, item)
    return
  }
  const members = body as Record<string, unknown>
  for (const [name, member] of Object.entries(properties)) {
    if (!Object.hasOwn(members, name)) continue
    if (members[name] === null && !required.includes(name)) delete members[name]
    else removeOptionalNulls(member, members[name])
  }
}
