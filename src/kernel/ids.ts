import { typeidUnboxed } from 'typeid-js'

/** The kinds of id we issue. Each is a TypeID: a prefix, an underscore and a UUIDv7 in base 32. */
export type IdKind =
  | 'partner'
  | 'quote'
  | 'tenant'
  | 'entry'
  | 'webhook'
  | 'event'
  | 'delivery'
  | 'replay'
  | 'availability'
  | 'request'
  | 'address'
  | 'claim'
  | 'mail'

/** An id of one kind. The prefix is part of the type, so passing an id of another kind does not compile. */
export type Id<Kind extends IdKind> = `${Kind}_${string}`

/** A new id, e.g. `quote_01h455vb4pex5vsknk084sn02q`. Ids of one kind sort by creation time. */
export function newId<Kind extends IdKind>(kind: Kind): Id<Kind> {
  return typeidUnboxed(kind) as Id<Kind>
}

const suffix = /^[0-9a-z]{26}$/

/** Whether text has the format of an id of this kind. Does not check that the row exists. */
export function isId<Kind extends IdKind>(kind: Kind, text: string): text is Id<Kind> {
  return text.startsWith(`${kind}_`) && suffix.test(text.slice(kind.length + 1))
}
