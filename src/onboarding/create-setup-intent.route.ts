import Type from 'typebox'
import { route } from '../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Flag, Id } from '../platform/http/schemas/values.ts'
import { createSetupIntent } from './create-setup-intent.ts'

const SetupIntent = ResponseObject('SetupIntent', "A setup intent for the customer's card.", {
  customerId: Id('The id of the customer.'),
  setupIntentId: Id('The id of the setup intent.'),
  clientSecret: Type.String({
    maxLength: 500,
    description: "Pass this to the payment processor's card form in the browser. Housebill never logs or stores it.",
  }),
  processorCustomerId: Id('The id of the customer at the payment processor.'),
})

export const createSetupIntentRoute = route({
  operationId: 'createSetupIntent',
  method: 'POST',
  path: '/Customers/{id}/create-setup-intent',
  tag: 'Customers',
  summary: "Create a setup intent for the customer's card",
  description:
    'Attaches a card with the payment processor; nothing is charged. While an intent is open, calling again returns the same intent. The first intent of a quote makes the quote `active` and locks it. With `replace`, it attaches another card, also after the terms are accepted.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: RequestObject('CreateSetupIntentRequest', 'Whether to attach another card.', {
    replace: Type.Optional(
      Flag(
        'If true and a card is attached, creates a setup intent for another card, at any time. The attached card stays in use until the other one is attached. If no card is attached, this changes nothing.',
      ),
    ),
  }),
  bodyIsOptional: true,
  reply: SetupIntent,
  errors: [
    'customer_erased',
    'quote_expired',
    'quote_cancelled',
    'packages_required',
    'personal_information_required',
    'customer_details_refused',
    'broadband_products_required',
    'service_unavailable',
  ],
  handle: (deps, { caller, id, body }) => createSetupIntent(deps, caller, id, body),
  present: ({ customerId, intent }) => ({
    customerId,
    setupIntentId: intent.setupIntentId,
    clientSecret: intent.clientSecret,
    processorCustomerId: intent.processorCustomerId,
  }),
  secrets: {
    remove: (response) => ({ ...(response as object), clientSecret: '' }),
    restore: async ({ paymentProcessor }, _caller, stored) => {
      const { clientSecret } = await paymentProcessor.readSetupIntent(
        (stored as { setupIntentId: string }).setupIntentId,
      )
      return { ...(stored as object), clientSecret }
    },
  },
})
