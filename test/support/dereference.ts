/**
 * A copy of a part of a document in which every reference is replaced by its target. Members beside a reference, such
 * as a description, win. Our documents have no cycles. Throws for a reference without a target.
 */
export function dereference(part: unknown, document: object): unknown {
  if (Array.isArray(part)) return part.map((entry) => dereference(entry, document))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...beside } = part as { $ref?: unknown }
  const members = Object.entries(beside).map(([name, member]) => [name, dereference(member, document)])
  const own = Object.fromEntries(members)
  return typeof $ref === 'string' ? { ...(dereference(targetOf($ref, document), document) as object), ...own } : own
}

function targetOf(reference: string, document: object): unknown {
  const names = reference.replace(/^#\//, '').split('/')
  const target = names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
  if (target === undefined) throw new Error(`${reference} has no target`)
  return target
}
