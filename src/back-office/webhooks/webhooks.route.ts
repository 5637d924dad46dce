import Type, { type Static } from 'typebox'
import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import { Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Count, Id, Text } from '../../platform/http/schemas/values.ts'
import { addOperatorWebhook } from '../../webhooks/endpoints/add-operator-webhook.ts'
import { deleteWebhookRoute } from '../../webhooks/endpoints/delete-webhook.route.ts'
import { listEveryWebhook } from '../../webhooks/endpoints/list-webhooks.ts'
import { subscriptionFields } from '../../webhooks/endpoints/subscription.schema.ts'
import { createWebhookRoute, updateWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import { replayWebhookRoute } from '../../webhooks/replay/replay-webhook.route.ts'
import { rotateSecretRoute } from '../../webhooks/secrets/rotate-secret.route.ts'
import { presentWebhook, webhookFields } from '../../webhooks/webhook.schema.ts'
import { findOwnAccount, findOwnWebhookOwner, findWebhookOwner } from '../http/find-owner.ts'
import { type OperatorRoute, operatorRoute, servedRoute } from '../http/operator-route.ts'

const ListedWebhook = ResponseObject('WebhookOfPartner', 'A webhook and whose it is.', {
  partnerId: Id(`The id of the partner, or \`${operatorAccountId}\` for your own.`),
  partnerName: Text(100, 'The name of the partner.'),
  ...webhookFields,
  latestReplay: Nullable(
    Type.Object(
      {
        replayId: Id('The id of the replay.'),
        status: replayWebhookRoute.reply.properties.status,
        redelivered: Count('The number of failed deliveries queued again so far.'),
        missed: Count('The number of events queued so far that had no delivery.'),
      },
      { description: 'The latest replay; null if there was none.' },
    ),
  ),
})

const listRoute = operatorRoute({
  operationId: 'listAllWebhooks',
  path: '/Webhooks',
  tag: 'Webhooks',
  scope: 'partners:read',
  summary: 'List webhooks',
  description: "Returns your webhooks and the partners', oldest first, each with its latest replay.",
  query: Type.Object({ partnerId: Type.Optional(Id('Only those of this partner.')) }, { additionalProperties: false }),
  errors: ['validation_failed'],
  reply: ResponseObject('AllWebhooks', 'Webhooks.', {
    data: Type.Array(ListedWebhook, { maxItems: 100_000, description: 'The webhooks.' }),
  }),
  handle: (deps, _caller, { query: { partnerId } }) => listEveryWebhook(deps, partnerId),
  present: (webhooks) => ({
    data: webhooks.map((webhook): Static<typeof ListedWebhook> => {
      const { partnerId, partnerName, latestReplay } = webhook
      return { partnerId, partnerName, ...presentWebhook(webhook), latestReplay }
    }),
  }),
})

const own = { tag: 'Webhooks', scope: 'partners:write', name: 'webhookId', findOwner: findOwnWebhookOwner } as const

const RegisterWebhookRequest = RequestObject('RegisterWebhookRequest', 'The webhook to register.', {
  url: subscriptionFields.url,
})

const createRoute: OperatorRoute = {
  ...servedRoute(createWebhookRoute, own),
  operationId: 'addOperatorWebhook',
  summary: 'Register a webhook of your own',
  body: RegisterWebhookRequest,
  refine: undefined,
  run: {
    owner: findOwnAccount,
    // This cast is safe: the request was validated against `body`.
    forPartner: (deps, _caller, { body }) =>
      addOperatorWebhook(deps, (body as Static<typeof RegisterWebhookRequest>).url),
  },
}

/** Your own webhooks, managed as a partner manages theirs, and replays for those of any partner. */
export const operatorWebhookRoutes: readonly OperatorRoute[] = [
  listRoute,
  createRoute,
  ...[updateWebhookRoute, rotateSecretRoute, deleteWebhookRoute].map((route) => servedRoute(route, own)),
  servedRoute(replayWebhookRoute, { ...own, findOwner: findWebhookOwner }),
]
