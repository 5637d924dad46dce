import Type, { type Static } from 'typebox'
import { ContractNumber } from '../../contracts/contract.schema.ts'
import { contractChanges } from '../../contracts/operator-feeds/feed-changes.ts'
import { NamedChoice, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { pageQuery, wrongCursor } from '../../platform/http/schemas/page.ts'
import { Count, Flag, Id, Text, Timestamp, timestamp, WholeNumber } from '../../platform/http/schemas/values.ts'
import { messageSchema } from '../../webhooks/event.schema.ts'
import type { DescribedMessage } from '../../webhooks/events.openapi.ts'
import { ContractRecordObject, presentContractRecord } from './contract-record.schema.ts'
import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from './feed-cursor.ts'
import type { ContractVersion } from './read-contract.ts'
import { type FeedPage, versionMessageType } from './read-contract-feed.ts'

/** The most entries of a page. */
export const maxFeedPage = 500

/** Which page of a feed to read. */
export const FeedQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The `nextCursor` of the previous page. Leave it out to read from the start.',
      }),
    ),
    limit: pageQuery({ items: 'entries', max: maxFeedPage, standard: 100 }).limit,
  },
  { additionalProperties: false },
)

/** What every page of a feed says about the next one. */
export const feedPageFields = {
  nextCursor: Text(200, 'Send this as `after`, now or later, to get what follows. Never null.'),
  hasMore: Flag('Whether more entries follow at once.'),
}

/** The page that a query asks for. Throws `validation_failed` if `after` is no cursor. */
export function feedPageOf({ after, limit }: Static<typeof FeedQuery>): {
  after: FeedCursor | undefined
  limit: number
} {
  const cursor = after === undefined ? undefined : decodeFeedCursor(after)
  if (after !== undefined && cursor === undefined) throw wrongCursor('after')
  return { after: cursor, limit: limit ?? 100 }
}

const ContractChangeName = NamedChoice(
  'ContractChange',
  contractChanges,
  'What changed: a new status, or one of the details. New values may be added.',
)

export const TimelineEntry = ResponseObject('ContractVersion', 'A change of a contract.', {
  version: Count('The version that the change made.'),
  change: ContractChangeName,
  at: Timestamp('When it was recorded.'),
})

const FeedEntryObject = ResponseObject('ContractFeedEntry', 'A change of a contract, with the contract as it is now.', {
  contractNumber: ContractNumber,
  ...TimelineEntry.properties,
  record: ContractRecordObject,
})

export const FeedObject = ResponseObject('ContractFeed', 'A page of the contract feed.', {
  data: Type.Array(FeedEntryObject, { maxItems: maxFeedPage, description: 'The entries, oldest first.' }),
  ...feedPageFields,
})

/** The page as JSON. */
export function presentFeed({ entries, next, hasMore }: FeedPage): Static<typeof FeedObject> {
  return {
    data: entries.map(({ contractNumber, version, change, recordedAt, record }) => ({
      contractNumber,
      version,
      change,
      at: timestamp(recordedAt),
      record: presentContractRecord(record),
    })),
    nextCursor: encodeFeedCursor(next),
    hasMore,
  }
}

/** A contract's versions as JSON. */
export function presentTimeline(versions: readonly ContractVersion[]): Static<typeof TimelineEntry>[] {
  return versions.map(({ version, change, recordedAt }) => ({ version, change, at: timestamp(recordedAt) }))
}

/** The body of a call that acknowledges a version. */
export const AcknowledgeRequest = RequestObject('AcknowledgeRequest', 'What was taken over.', {
  version: WholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'The version of the record.' }),
  reference: Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'single-line',
    description: 'Your own reference for it.',
  }),
})

const summary = 'A contract has a new version'

/** The messages that the operator's webhooks get. */
export const operatorMessages: readonly DescribedMessage[] = [
  {
    type: versionMessageType,
    summary,
    schema: messageSchema(versionMessageType, summary, {
      contractNumber: Id('The contract number.'),
      version: Count('The version. Messages may arrive in any order: skip what is not newer than what you have.'),
      position: Text(100, 'The cursor that continues the feed after this version: `?after=`.'),
    }),
    example: {
      id: 'event_01m7w4kmmrf228899q5c8ptd31',
      type: versionMessageType,
      timestamp: '2026-11-20T09:29:10.000Z',
      data: { contractNumber: '4821-7730-9150', version: 3, position: 'NGQ3ZTFiOWMyYTUwLjQy' },
    },
  },
]
