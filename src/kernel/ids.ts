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

/** A new identifier, e.g. `quote_01h455vb4pex5vsknk084sn02q`. Sorts by creation time within its kind. */
export function newId<Kind extends IdKind>(kind: Kind): string {
  return typeid(kind).toString()
}
