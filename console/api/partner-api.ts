import type {
  CreatedWebhook,
  CreateWebhookRequest,
  DeletedWebhook,
  Delivery,
  DeliveryList,
  DeliveryWithAttempts,
  Event,
  EventDeliveries,
  EventList,
  ListDeliveriesQuery,
  ListEventsQuery,
  ListWebhooksQuery,
  QueuedMessage,
  Replay,
  ReplayRequest,
  RotatedWebhookSecret,
  TestEventRequest,
  UpdateWebhookRequest,
  Webhook,
  WebhookList,
} from '../../clients/typescript/src/api-types.ts'

export type { Problem } from '../../clients/typescript/src/api-types.ts'

interface Operation<Response, Body = undefined, Query = Record<never, never>> {
  query: Query
  body: Body
  response: Response
}

/** The request and response of each operation that the console calls. */
export interface Operations {
  createWebhook: Operation<CreatedWebhook, CreateWebhookRequest>
  listWebhooks: Operation<WebhookList, undefined, ListWebhooksQuery>
  getWebhook: Operation<Webhook>
  updateWebhook: Operation<Webhook, UpdateWebhookRequest>
  deleteWebhook: Operation<DeletedWebhook>
  rotateWebhookSecret: Operation<RotatedWebhookSecret>
  sendTestEvent: Operation<QueuedMessage, TestEventRequest | undefined>
  sendVerification: Operation<QueuedMessage>
  listDeliveries: Operation<DeliveryList, undefined, ListDeliveriesQuery>
  getDelivery: Operation<DeliveryWithAttempts>
  redeliver: Operation<Delivery>
  replayWebhook: Operation<Replay, ReplayRequest | undefined>
  getReplay: Operation<Replay>
  listEvents: Operation<EventList, undefined, ListEventsQuery>
  getEvent: Operation<Event>
  listEventDeliveries: Operation<EventDeliveries>
}

/** How to call each operation. A POST takes an Idempotency-Key. */
export const operations = {
  createWebhook: { method: 'POST', path: '/partner-api/Webhooks' },
  listWebhooks: { method: 'GET', path: '/partner-api/Webhooks' },
  getWebhook: { method: 'GET', path: '/partner-api/Webhooks/{id}' },
  updateWebhook: { method: 'PATCH', path: '/partner-api/Webhooks/{id}' },
  deleteWebhook: { method: 'DELETE', path: '/partner-api/Webhooks/{id}' },
  rotateWebhookSecret: { method: 'POST', path: '/partner-api/Webhooks/{id}/rotate-secret' },
  sendTestEvent: { method: 'POST', path: '/partner-api/Webhooks/{id}/send-test-event' },
  sendVerification: { method: 'POST', path: '/partner-api/Webhooks/{id}/send-verification' },
  listDeliveries: { method: 'GET', path: '/partner-api/Webhooks/{id}/deliveries' },
  getDelivery: { method: 'GET', path: '/partner-api/Deliveries/{id}' },
  redeliver: { method: 'POST', path: '/partner-api/Deliveries/{id}/redeliver' },
  replayWebhook: { method: 'POST', path: '/partner-api/Webhooks/{id}/replay' },
  getReplay: { method: 'GET', path: '/partner-api/Replays/{id}' },
  listEvents: { method: 'GET', path: '/partner-api/Events' },
  getEvent: { method: 'GET', path: '/partner-api/Events/{id}' },
  listEventDeliveries: { method: 'GET', path: '/partner-api/Events/{id}/deliveries' },
} as const satisfies Record<keyof Operations, { method: string; path: string }>

/** Limits of the API that the console's pages mention. */
export const limits = { keptDays: 30, secretOverlapHours: 24, keptBodyKiB: 4 } as const
