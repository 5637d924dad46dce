import { FeedQuery, feedPageOf } from '../contract-feed/feed.schema.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { PsrFeedObject, presentPsrFeed } from './psr-feed.schema.ts'
import { readPsrFeed } from './read-psr-feed.ts'

export const readPsrFeedRoute = operatorRoute({
  operationId: 'listPriorityServices',
  path: '/PriorityServices',
  tag: 'Priority Services Register',
  summary: 'Follow whom networks must register',
  description:
    'Returns the customers with needs and a contract in force, each once, at the position of its last change. A withdrawal appears again every day until you acknowledge it. Cursors work as those of the contract feed, but are not the same.',
  scope: 'psr:read',
  query: FeedQuery,
  reply: PsrFeedObject,
  errors: ['validation_failed', 'feed_reset'],
  handle: (deps, { now }, { query }) => readPsrFeed({ ...deps, now }, feedPageOf(query)),
  present: presentPsrFeed,
})
