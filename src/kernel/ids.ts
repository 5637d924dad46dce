import { typeid } from 'typeid-js'

/** The kinds of identifier we hand out; each is a TypeID: its prefix, an underscore and a UUIDv7 in base 32. */
export type IdKind =
  | 'partner'
  | 'quote'
  | 'tenant'
  | 'webhook'
  | 'event'
  | 'delivery'
  | 'replay'
  | 'availability'
  | 'request'
  | 'address'
  | 'claim'

/** An identifier of one kind. Its prefix is its type, so that an id of another kind in its place does not compile. */
export type Id<Kind extends IdKind> = `${Kind}_${string}`

/** A new identifier, e.g. `quote_01h455vb4pex5vsknk084sn02q`. Sorts by creation time within its kind. */
export function newId<Kind extends IdKind>(kind: Kind): Id<Kind> {
  return `${kind}_${typeid(kind).getSuffix()}`
}

const suffix = /^[0-9a-z]{26}$/

/** Whether a text has the form of an id of this kind. Says nothing of whether there is such a row. */
export function isId<Kind extends IdKind>(kind: Kind, text: string): text is Id<Kind> {
  return text.startsWith(`${kind}_`) && suffix.test(text.slice(kind.length + 1))
}
