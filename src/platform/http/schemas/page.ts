import Type, { type TSchema } from 'typebox'
import { type DomainError, invalidFields } from '../../kernel/errors.ts'
import type { Id, IdKind } from '../../kernel/ids.ts'
import { ResponseObject } from './named.ts'
import { NextCursor, WholeNumber } from './values.ts'

const maxPageSize = 100

/** The query parameters of every list: `?limit=1..100&cursor=`. */
export const PageQuery = {
  limit: Type.Optional(
    WholeNumber({
      minimum: 1,
      maximum: maxPageSize,
      default: 20,
      description: 'The number of items to return. Defaults to 20.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The `nextCursor` of the previous page.' }),
  ),
}

/** The response of a list that is read page by page. */
export function PageOf<Item extends TSchema>(name: string, item: Item, nextCursor: typeof NextCursor = NextCursor) {
  return ResponseObject(name, 'One page of a list.', {
    data: Type.Array(item, { maxItems: maxPageSize, description: 'The items of this page.' }),
    nextCursor,
  })
}

/** The opaque cursor that continues after this position, such as an id; null at the end of the list. */
export function encodeCursor(position: string | null): string | null {
  return position === null ? null : Buffer.from(position).toString('base64url')
}

/** Throws `validation_failed` for a cursor of another list. */
export function idFromCursor<Kind extends IdKind>(cursor: string | undefined, kind: Kind): Id<Kind> | undefined {
  if (cursor === undefined) return undefined
  const [, suffix = ''] = matchCursor(cursor, new RegExp(`^${kind}_([0-9a-z]{26})$`))
  return `${kind}_${suffix}`
}

/**
 * Decodes a cursor and matches it against its list's pattern. Throws `validation_failed` for a cursor of another list.
 */
export function matchCursor(cursor: string, pattern: RegExp): RegExpExecArray {
  const match = pattern.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) throw wrongCursor('cursor')
  return match
}

/** The error for a cursor of another list, which was sent as this parameter. */
export function wrongCursor(parameter: 'cursor' | 'after' | 'since'): DomainError {
  return invalidFields([
    {
      pointer: `/query/${parameter}`,
      code: 'wrong_format',
      detail:
        'The cursor does not belong to this list. Use the nextCursor of the previous page, unchanged, or start again without a cursor.',
    },
  ])
}
