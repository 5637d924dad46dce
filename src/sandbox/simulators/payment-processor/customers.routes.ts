import type { FastifyInstance } from 'fastify'
import { inTransaction, type Tx } from '../../../platform/db/database.ts'
import {
  type CustomerPerson,
  customerResponse,
  deleteCustomer,
  deleteCustomerPaymentMethods,
  detachPaymentMethod,
  findCustomer,
  findPaymentMethod,
  insertCustomer,
  listCustomersByMetadata,
  lockCustomer,
  newCustomer,
  updateCustomer,
} from './customers.store.ts'
import { deleteResponsesAbout } from './protocol/idempotent-responses.store.ts'
import { type FormFields, metadataOf, nestedFields, optionalText, rejectUnknown } from './protocol/parameters.ts'
import { postHandler, type SimulatorParts, type SimulatorResponse } from './protocol/post-call.ts'
import { invalidRequest, noSuchObject, StripeFault, secretKeyRequired } from './protocol/stripe-fault.ts'

const parameters = ['name', 'email', 'phone', 'description', 'metadata'] as const

/** The only form of the processor's search language that the simulator supports: `metadata['key']:'value'`. */
const metadataQuery = /^metadata\[(["'])([\w.-]{1,40})\1\]:(["'])([^"'\\]{1,500})\3$/

/** Errors that an email address such as `ada+processor-down@example.com` simulates. */
const faultsByAddress = new Map([
  [
    '+processor-down@',
    new StripeFault(503, {
      type: 'api_error',
      message: 'The payment simulator is set to fail for this email address.',
    }),
  ],
  ['+email-refused@', invalidRequest('Invalid email address.', { code: 'email_invalid', param: 'email' })],
  ['+account-refused@', invalidRequest('The account cannot take cards.', { code: 'account_invalid' })],
])

export function registerCustomerRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.post(
    '/v1/customers',
    postHandler(parts, {
      parameters,
      publishable: false,
      work: async (tx, { fields, now }) => {
        const person = personOf(fields, { name: null, email: null, phone: null, description: null })
        throwIfFaultAddress(person.email)
        const customer = newCustomer(person, metadataOf(fields), now)
        await insertCustomer(tx, parts.seal, customer)
        return done(customerResponse(customer))
      },
    }),
  )

  app.post(
    '/v1/customers/:id',
    postHandler(parts, {
      parameters: [...parameters, 'invoice_settings'],
      publishable: false,
      work: async (tx, { id, fields }) => {
        const customer = await lockCustomer(tx, parts.seal, id)
        if (customer === undefined) throw noSuchObject('customer', id, 'id', 404)
        const changed = {
          person: personOf(fields, customer.person),
          stored: {
            ...customer.stored,
            invoice_settings: { ...customer.stored.invoice_settings, ...(await defaultCardOf(tx, id, fields)) },
            metadata: { ...customer.stored.metadata, ...metadataOf(fields) },
          },
        }
        await updateCustomer(tx, parts.seal, changed)
        return done(customerResponse(changed))
      },
    }),
  )

  app.get<{ Querystring: { query?: unknown } }>('/v1/customers/search', async (request) => {
    requireSecretKey(parts, request.headers.authorization)
    const { query } = request.query
    const [, , key, , value] = (typeof query === 'string' && metadataQuery.exec(query)) || []
    if (key === undefined || value === undefined) {
      throw invalidRequest("The payment simulator searches only by one metadata clause: metadata['key']:'value'.", {
        param: 'query',
      })
    }
    const found = await listCustomersByMetadata(parts.db, parts.seal, key, value)
    return {
      object: 'search_result',
      url: '/v1/customers/search',
      has_more: false,
      next_page: null,
      data: found.map(customerResponse),
    }
  })

  app.delete<{ Params: { id: string } }>('/v1/customers/:id', async (request) => {
    requireSecretKey(parts, request.headers.authorization)
    const { id } = request.params
    const isThere = await inTransaction(parts.db, {}, async (tx) => {
      if (!(await deleteCustomer(tx, id))) return false
      await deleteCustomerPaymentMethods(tx, id)
      await deleteResponsesAbout(tx, parts.seal, id)
      return true
    })
    if (!isThere) throw noSuchObject('customer', id, 'id', 404)
    return { id, object: 'customer', deleted: true }
  })

  // As from the processor's dashboard: the customer keeps no such card, so it can be charged and made the default no
  // longer.
  app.post(
    '/v1/payment_methods/:id/detach',
    postHandler(parts, {
      parameters: [],
      publishable: false,
      work: async (tx, { id }) => {
        const attached = await findPaymentMethod(tx, id)
        if (attached === undefined) throw noSuchObject('PaymentMethod', id, 'payment_method', 404)
        await detachPaymentMethod(tx, id)
        return done({ id, object: 'payment_method', type: 'card', customer: null, card: attached.card })
      },
    }),
  )

  app.get<{ Params: { id: string } }>('/v1/customers/:id', async (request) => {
    requireSecretKey(parts, request.headers.authorization)
    const customer = await findCustomer(parts.db, parts.seal, request.params.id)
    if (customer === undefined) throw noSuchObject('customer', request.params.id, 'id', 404)
    return customerResponse(customer)
  })
}

/** The default payment method in a request, which must be attached to the customer. */
async function defaultCardOf(
  tx: Tx,
  customerId: string,
  fields: FormFields,
): Promise<{ default_payment_method?: string }> {
  const settings = nestedFields(fields, 'invoice_settings')
  rejectUnknown(settings, ['default_payment_method'], 'invoice_settings')
  const id = optionalText(settings, 'default_payment_method')
  if (id === undefined) return {}
  const param = 'invoice_settings[default_payment_method]'
  if ((await findPaymentMethod(tx, id))?.customer !== customerId) throw noSuchObject('PaymentMethod', id, param, 400)
  return { default_payment_method: id }
}

function throwIfFaultAddress(email: string | null): void {
  for (const [part, fault] of faultsByAddress) if (email?.toLowerCase().includes(part)) throw fault
}

/**
 * Updates a customer's fields from a request. An empty field is removed; a field that is absent from the request is
 * kept.
 */
function personOf(fields: FormFields, before: CustomerPerson): CustomerPerson {
  const after = (name: keyof CustomerPerson) => {
    const given = optionalText(fields, name)
    return given === undefined ? before[name] : given === '' ? null : given
  }
  return { name: after('name'), email: after('email'), phone: after('phone'), description: after('description') }
}

function requireSecretKey(parts: SimulatorParts, authorization: string | undefined): void {
  if (parts.credentials.authenticate(authorization) === 'secret') return
  throw secretKeyRequired()
}

function done(body: object): SimulatorResponse {
  return { status: 200, body, changes: [] }
}
