import Type from 'typebox'
import { createSetupIntent } from '../../../domain/payments/create-setup-intent.ts'
import { route } from '../../route.ts'
import { Id } from '../../wire/values.ts'

const Reply = Type.Object(
  {
    customerId: Id(),
    setupIntentId: Id(),
    clientSecret: Type.String({
      maxLength: 500,
      description: "for the processor's card collection in the browser; never logged, never stored",
    }),
    processorCustomerId: Id(),
  },
  { additionalProperties: false },
)

export const createSetupIntentRoute = route({
  operationId: 'createSetupIntent',
  method: 'POST',
  path: '/Customers/{id}/create-setup-intent',
  tag: 'Customers',
  summary: 'Begin card set-up with the payment processor',
  description:
    'Attaches a card only; nothing is charged. Repeating the call returns the same open intent. The first one of a quote makes the quote active and locks it.',
  idDescription: 'customerId',
  scope: 'customers:write',
  reply: Reply,
  errors: [
    'customer_erased',
    'quote_expired',
    'quote_cancelled',
    'packages_required',
    'personal_information_required',
    'broadband_products_required',
    'service_unavailable',
  ],
  handle: (services, { caller, id }) => createSetupIntent(services, caller, id),
  present: ({ customerId, intent }) => ({
    customerId,
    setupIntentId: intent.setupIntentId,
    clientSecret: intent.clientSecret,
    processorCustomerId: intent.processorCustomerId,
  }),
  secrets: {
    remove: (answer) => ({ ...(answer as object), clientSecret: '' }),
    restore: async ({ paymentProcessor }, _caller, stored) => {
      const { clientSecret } = await paymentProcessor.readSetupIntent(
        (stored as { setupIntentId: string }).setupIntentId,
      )
      return { ...(stored as object), clientSecret }
    },
  },
})
