import Type from 'typebox'
import { DomainError } from '../../domain/kernel/errors.ts'
import type { IdKind } from '../../domain/kernel/ids.ts'

/** Query of every list: `?limit=1..100&cursor=`. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'how many; 20 unless told' }),
  ),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'nextCursor of the page before' })),
}

/** The opaque cursor for "after this id"; null where there is no more. */
export function cursorOf(lastId: string | null): string | null {
  return lastId === null ? null : Buffer.from(lastId).toString('base64url')
}

/** Throws `validation_failed` for a cursor this list did not hand out. */
export function idFromCursor(cursor: string | undefined, kind: IdKind): string | undefined {
  if (cursor === undefined) return undefined
  const id = Buffer.from(cursor, 'base64url').toString('latin1')
  if (new RegExp(`^${kind}_[0-9a-z]{26}$`).test(id)) return id
  throw new DomainError(
    'validation_failed',
    'The cursor is not one of this list. Use nextCursor of the page before, unchanged.',
    {
      fields: [
        { pointer: '/query/cursor', code: 'wrong_format', detail: 'Must be the nextCursor of the page before.' },
      ],
    },
  )
}
