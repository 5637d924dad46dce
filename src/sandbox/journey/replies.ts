import Type, { type Static } from 'typebox'

/** The parts of each response that the journey reads. They must be present; other fields are ignored. */

/** An id that the journey puts into paths and file names. */
const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' })
const Pence = Type.Integer()
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

export const TokenResponse = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  token_type: Type.String(),
  expires_in: Type.Integer({ minimum: 1 }),
})

export const VersionsResponse = Type.Object({
  versions: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), isDefault: Type.Boolean() })),
})

const Address = Type.Object({
  addressLine1: Type.String(),
  city: Type.String(),
  postCode: Type.String(),
  mpan: Type.Union([Type.String(), Type.Null()]),
  mprn: Type.Union([Type.String(), Type.Null()]),
  addressUid: Id,
})
export const AddressesResponse = Type.Array(Address)

const AvailablePackage = Type.Object({
  packageId: Type.String(),
  name: Type.String(),
  type: Type.String(),
  isDefault: Type.Boolean(),
})
export const CreatedQuoteResponse = Type.Object({
  quoteId: Id,
  status: Type.Literal('draft'),
  expiresAt: Type.String(),
  contractStartDate: Day,
  contractEndDate: Day,
  availablePackages: Type.Array(AvailablePackage),
})

export const QuoteResponse = Type.Object({ quoteId: Id, status: Type.String() })

export const SelectedPackagesResponse = Type.Object({
  status: Type.Literal('PackagesSelected'),
  selectedPackages: Type.Array(Type.Object({ packageId: Type.String(), name: Type.String() })),
})

const Tenant = Type.Object({ tenantId: Id, name: Type.String(), isLead: Type.Boolean() })
export const TenantsResponse = Type.Object({ status: Type.Literal('TenantsAdded'), tenants: Type.Array(Tenant) })

export const AvailabilityRequestResponse = Type.Object({ uid: Id, status: Type.String() })

const BroadbandProduct = Type.Object({
  productId: Type.String(),
  name: Type.String(),
  speed: Type.Number(),
  price: Pence,
  kind: Type.String(),
  setupPrice: Pence,
})
export const AvailabilityResponse = Type.Object({
  available: Type.Boolean(),
  maxSpeed: Type.Number(),
  products: Type.Array(BroadbandProduct),
  homeTelecomError: Type.Boolean(),
  homeTelecomErrors: Type.Array(Type.String()),
  broadbandDatabaseError: Type.Boolean(),
  broadbandDatabaseErrors: Type.Array(Type.String()),
})

export const BroadbandAddedResponse = Type.Object({
  status: Type.Literal('BroadbandAdded'),
  broadbandProducts: Type.Array(Type.Object({ productId: Type.String(), name: Type.String() })),
})

export const InstallDatesResponse = Type.Object({ availableDates: Type.Array(Day), earliestDate: Day })

export const costFigures = {
  weeklyCost: Pence,
  monthlyCost: Pence,
  yearlyCost: Pence,
  totalCost: Pence,
  setupCost: Pence,
}
const Cost = Type.Object(costFigures)
/** The five figures of every cost object, in pence. */
export type Cost = Static<typeof Cost>

export const CostElement = Type.Object({ tenantId: Id, tenantName: Type.String(), ...costFigures })
export const QuoteCostResponse = Type.Object({
  ...costFigures,
  QuotePricesUpdated: Type.Boolean(),
  costBreakdown: Type.Array(CostElement),
  lines: Type.Array(Type.Object({ name: Type.String(), ...costFigures })),
})

export const CustomerCostResponse = Type.Object({
  customerId: Id,
  ...costFigures,
  packages: Type.Array(Type.Object({ name: Type.String(), ...costFigures })),
})

export const PersonalInformationResponse = Type.Object({
  status: Type.Literal('PersonalInfoComplete'),
  personalInfoComplete: Type.Literal(true),
})

export const ScheduleResponse = Type.Object({
  paymentSchedule: Type.Object({
    monthlyAmount: Pence,
    setupAmount: Pence,
    billingCycle: Type.Literal('monthly'),
    nextPaymentDate: Day,
    payments: Type.Array(Type.Object({ date: Day, amount: Pence, kind: Type.String() }), { minItems: 1 }),
  }),
})

export const SetupIntentResponse = Type.Object({
  setupIntentId: Id,
  clientSecret: Type.String({ minLength: 1 }),
  processorCustomerId: Type.String({ minLength: 1 }),
})

export const ConfirmationResponse = Type.Object({ status: Type.String() })

export const AcceptedResponse = Type.Object({
  status: Type.Literal('OnboardingComplete'),
  onboardingComplete: Type.Literal(true),
  termsAcceptedAt: Type.String(),
})

export const ContractUrlResponse = Type.Object({
  contractUrl: Type.String({ pattern: '^https?://' }),
  expiresAt: Type.String(),
})
