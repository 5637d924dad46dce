import { newProcessorId } from './protocol/processor-ids.ts'

/** The fields that identify a customer. They are stored encrypted, separately from the rest. */
export interface CustomerPerson {
  name: string | null
  email: string | null
  phone: string | null
  description: string | null
}

/** A customer's fields in Stripe's format, except those that identify the customer. */
export interface StoredCustomer {
  id: string
  object: 'customer'
  address: null
  balance: 0
  created: number
  currency: null
  default_source: null
  delinquent: false
  invoice_prefix: null
  invoice_settings: {
    custom_fields: null
    default_payment_method: string | null
    footer: null
    rendering_options: null
  }
  livemode: false
  metadata: Record<string, string>
  preferred_locales: []
  shipping: null
  tax_exempt: 'none'
  test_clock: null
}

export interface SimulatedCustomer {
  stored: StoredCustomer
  person: CustomerPerson
}

export function newCustomer(person: CustomerPerson, metadata: Record<string, string>, now: Date): SimulatedCustomer {
  return {
    stored: {
      id: newProcessorId('cus'),
      object: 'customer',
      address: null,
      balance: 0,
      created: Math.floor(now.getTime() / 1000),
      currency: null,
      default_source: null,
      delinquent: false,
      invoice_prefix: null,
      invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
      livemode: false,
      metadata,
      preferred_locales: [],
      shipping: null,
      tax_exempt: 'none',
      test_clock: null,
    },
    person,
  }
}

/** The customer as the simulated API returns it. */
export function customerResponse({ stored, person }: SimulatedCustomer): StoredCustomer & CustomerPerson {
  return { ...stored, ...person }
}
