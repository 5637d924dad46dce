import { documentedSchema, nameOf } from '../http/schemas/named.ts'

/** Turns schemas into the plain JSON of one document. */
export interface SchemaWriter {
  /** The schema as JSON: named schemas become references. */
  write(schema: object): unknown
  /** The named schemas that were written so far, in alphabetical order. */
  namedSchemas(): Record<string, unknown>
}

/** Creates the writer of a document, which collects the named schemas it meets. */
export function createSchemaWriter(): SchemaWriter {
  const written = new Map<string, unknown>()

  function write(schema: object): unknown {
    const shown = documentedSchema(schema) as { description?: string }
    const named = nameOf(shown)
    if (named === undefined) return writeMembers(shown)
    const { name, original } = named
    if (!written.has(name)) written.set(name, writeMembers(original))
    const reference = { $ref: `#/components/schemas/${name}` }
    const isDescribedAnew = shown.description !== (original as { description?: string }).description
    return isDescribedAnew ? { ...reference, description: shown.description } : reference
  }

  function writeMembers(value: object): unknown {
    if (Array.isArray(value)) return value.map(writeValue)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, writeValue(member)]))
  }

  function writeValue(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? write(value) : value
  }

  return {
    write,
    namedSchemas: () => Object.fromEntries([...written].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
