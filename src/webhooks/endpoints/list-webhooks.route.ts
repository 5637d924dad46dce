import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import { presentWebhook, WebhookObject } from '../webhook.schema.ts'
import { getWebhook, listWebhooks } from './list-webhooks.ts'

export const getWebhookRoute = route({
  operationId: 'getWebhook',
  method: 'GET',
  path: '/Webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: WebhookObject,
  handle: (deps, { caller, id }) => getWebhook(deps, caller, id),
  present: presentWebhook,
})

export const listWebhooksRoute = route({
  operationId: 'listWebhooks',
  method: 'GET',
  path: '/Webhooks',
  tag: 'Webhooks',
  summary: 'List your webhooks, newest first',
  scope: 'webhooks:manage',
  query: Type.Object(PageQuery, { additionalProperties: false }),
  reply: PageOf('WebhookList', WebhookObject),
  errors: ['validation_failed'],
  handle: (deps, { caller, query }) =>
    listWebhooks(deps, caller, {
      beforeWebhookId: idFromCursor(query.cursor, 'webhook'),
      limit: query.limit ?? 20,
    }),
  present: ({ webhooks, nextBeforeWebhookId }) => ({
    data: webhooks.map(presentWebhook),
    nextCursor: encodeCursor(nextBeforeWebhookId),
  }),
})
