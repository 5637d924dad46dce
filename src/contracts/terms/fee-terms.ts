import Type, { type Static } from 'typebox'
import { type Service, serviceNames } from '../../quoting/packages/services.ts'
import { type EndCause, endCauses } from '../contract.ts'

const closed = { additionalProperties: false } as const
const Fee = Type.Integer({ minimum: 0, maximum: 100_000 })
const VatRate = Type.String({ pattern: '^(0|0\\.\\d{1,4})$' })

/**
 * A cause for which the exit fee is waived, and for which services: all by default. For others, the fee stays in
 * proportion to their part of the tenant's monthly price.
 */
const FeeWaiver = Type.Object(
  {
    cause: Type.Unsafe<Exclude<EndCause, 'other'>>(
      Type.Enum(
        endCauses.filter((cause) => cause !== 'other'),
        { type: 'string' },
      ),
    ),
    services: Type.Optional(
      Type.Unsafe<Service[]>(
        Type.Array(Type.Enum(serviceNames(), { type: 'string' }), { minItems: 1, uniqueItems: true }),
      ),
    ),
  },
  closed,
)

/**
 * What a tenant pays for ending their contract early (`earlyExit` in the operator's file). `exitFee` calculates it, and
 * the documents' words are made from it. Fees are in pence and include VAT.
 */
export const EarlyExitTerms = Type.Object(
  {
    /** The earliest last day is this many days after the notice. */
    noticeDays: Type.Integer({ minimum: 0, maximum: 90 }),
    feePence: Fee,
    /** Added for each whole month between the last day and the end of the term. */
    feePencePerMonthLeft: Type.Optional(Fee),
    /** The most that both fees together can be. */
    maximumFeePence: Type.Optional(Fee),
    /**
     * The VAT rate in the fee, e.g. "0.2". Without it, the fee has the rates of the services, in proportion to their
     * price: it is further consideration for what was supplied (Revenue and Customs Brief 2/2022).
     */
    vatRate: Type.Optional(VatRate),
    /** Whether set-up that the tenant has not paid yet is due when they leave. */
    unpaidSetUpIsDue: Type.Boolean(),
    /**
     * At least 49, as in the energy supply licences (condition 24): a household can switch in this time without a fee.
     */
    noFeeInLastDays: Type.Integer({ minimum: 49, maximum: 365 }),
    /**
     * For which causes the contract ends without notice, fee and unpaid set-up. It always does if the tenancy did not
     * start.
     */
    waivedFor: Type.Optional(Type.Array(FeeWaiver, { maxItems: endCauses.length, uniqueItems: true })),
  },
  closed,
)
export type EarlyExitTerms = Static<typeof EarlyExitTerms>

/** What happens when a payment fails (`latePayment` in the operator's file). The fee is in pence and includes VAT. */
export const LatePaymentTerms = Type.Object(
  {
    retryAfterWorkingDays: Type.Integer({ minimum: 1, maximum: 20 }),
    /** How many failed payments cost nothing. */
    freeFailures: Type.Integer({ minimum: 0, maximum: 12 }),
    /** The charge for each further failed payment. */
    feePence: Fee,
    vatRate: VatRate,
  },
  closed,
)
export type LatePaymentTerms = Static<typeof LatePaymentTerms>
