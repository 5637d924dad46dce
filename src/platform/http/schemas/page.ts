import { createHash } from 'node:crypto'
import Type, { type TSchema } from 'typebox'
import { type DomainError, invalidFields } from '../../kernel/errors.ts'
import type { Id, IdKind } from '../../kernel/ids.ts'
import { ResponseObject } from './named.ts'
import { NextCursor, WholeNumber } from './values.ts'

const maxPageSize = 100

/**
 * The query parameters of a list: `?limit=1..max&cursor=`. `items` is the word for what it lists; `repeat` says what
 * must be sent again with the cursor.
 */
export function pageQuery({
  items = 'items',
  max = maxPageSize,
  standard = 20,
  longestCursor = 200,
  repeat = '',
} = {}) {
  return {
    limit: Type.Optional(
      WholeNumber({
        minimum: 1,
        maximum: max,
        default: standard,
        description: `The number of ${items} to return. Defaults to ${standard}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: longestCursor,
        description: `The \`nextCursor\` of the previous page.${repeat}`,
      }),
    ),
  }
}

/** The query parameters of a list with pages of up to 100. */
export const PageQuery = pageQuery()

/** The members of a page of a list. */
export function pageFields<Item extends TSchema>(
  item: Item,
  { max = maxPageSize, description = 'The items of this page.' } = {},
) {
  return { data: Type.Array(item, { maxItems: max, description }), nextCursor: NextCursor }
}

/** The response of a list that is read page by page. */
export function PageOf<Item extends TSchema>(name: string, item: Item, nextCursor: typeof NextCursor = NextCursor) {
  return ResponseObject(name, 'One page of a list.', { ...pageFields(item), nextCursor })
}

/** The opaque cursor that continues after this position, such as an id; null at the end of the list. */
export function encodeCursor(position: string | null): string | null {
  return position === null ? null : Buffer.from(position).toString('base64url')
}

/** The cursor that continues after the last item of a page; null if nothing follows. */
export function cursorAfter<Item>(
  page: readonly Item[],
  hasMore: boolean,
  positionOf: (last: Item) => string,
): string | null {
  const last = page.at(-1)
  return encodeCursor(hasMore && last !== undefined ? positionOf(last) : null)
}

/** Says in a cursor whose it is, and of which operation: a partner's `nextCursor` continues no list but its own. */
export function ownCursor(cursor: string, partnerId: string, operationId: string): string {
  return `${cursor}.${createHash('sha256').update(`${partnerId} ${operationId}`).digest('base64url').slice(0, 8)}`
}

/** The cursor within one of `ownCursor`. Throws `validation_failed` for one of another partner or list. */
export function openCursor(given: string, partnerId: string, operationId: string): string {
  const [cursor = ''] = given.split('.')
  if (given !== ownCursor(cursor, partnerId, operationId)) throw wrongCursor('cursor')
  return cursor
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
