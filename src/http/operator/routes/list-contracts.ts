import Type from 'typebox'
import { readContractFeed } from '../../../domain/contract-feed/read-contract-feed.ts'
import { WholeNumber } from '../../wire/values.ts'
import { operatorRead } from '../operator-route.ts'
import { FeedObject, feedPlaceFrom, maxFeedPage, presentFeed } from '../wire/feed.ts'

export const listContractFeedRoute = operatorRead({
  operationId: 'listContractFeed',
  path: '/Contracts',
  tag: 'Contracts',
  summary: 'Follow contracts',
  description:
    'Returns the changes of all contracts, oldest first, each with the contract as it is now. Store `nextCursor` together with what you received, and call again with `after`: nothing is ever added before a cursor that you got. A contract that changed several times appears several times: skip a record whose `version` you have.',
  scope: 'contracts:read',
  query: Type.Object(
    {
      after: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'The `nextCursor` of the previous page. Leave it out to read from the start.',
        }),
      ),
      limit: Type.Optional(
        WholeNumber({
          minimum: 1,
          maximum: maxFeedPage,
          default: 100,
          description: 'The number of entries to return. Defaults to 100.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  reply: FeedObject,
  errors: ['validation_failed', 'feed_reset'],
  reads: (services, _caller, { query }) =>
    readContractFeed(services, { after: feedPlaceFrom(query.after), limit: query.limit ?? 100 }),
  present: presentFeed,
})
