import { operatorRoute } from '../http/operator-route.ts'
import { FeedObject, FeedQuery, feedPageOf, presentFeed } from './feed.schema.ts'
import { readContractFeed } from './read-contract-feed.ts'

export const readContractFeedRoute = operatorRoute({
  operationId: 'listContractFeed',
  path: '/Contracts',
  tag: 'Contracts',
  summary: 'Follow contracts',
  description:
    'Returns the changes of all contracts, oldest first, each with the contract as it is now. Store `nextCursor` together with what you received, and call again with `after`: nothing is ever added before a cursor that you got. A contract that changed several times appears several times: skip a record whose `version` you have.',
  scope: 'contracts:read',
  query: FeedQuery,
  reply: FeedObject,
  errors: ['validation_failed', 'feed_reset'],
  handle: (deps, _caller, { query }) => readContractFeed(deps, feedPageOf(query)),
  present: presentFeed,
})
