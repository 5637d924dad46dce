import Type, { type Static } from 'typebox'

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
const AddressLines = Type.Array(Text(200), { minItems: 1, maxItems: 8 })
const Supplier = Type.Object({ name: Text(200), address: Text(400), phone: Text(40) }, { additionalProperties: false })

/**
 * The operator's file (`OPERATOR_FILE`, JSON): who trades, who supplies, where complaints go and on what terms. It is
 * printed in every contract, so live refuses to start without one; a sandbox has a marked sample. A line break within
 * a text begins a new paragraph.
 */
export const OperatorFile = Type.Object(
  {
    /** True only for the shipped sample: documents then say so on every page. */
    sample: Type.Optional(Type.Boolean()),
    trader: Type.Object(
      {
        /** The name tenants know it by. */
        name: Text(200),
        legalName: Text(200),
        companyNumber: Type.Optional(Text(40)),
        vatNumber: Type.Optional(Text(40)),
        address: AddressLines,
        phone: Text(40),
        email: Text(200),
        website: Type.Optional(Text(200)),
        /** What a call costs, e.g. "calls cost no more than to a geographic number". */
        costOfContact: Text(300),
        /** In what capacity it contracts, and for whom it acts: "We buy the energy and resell it", "We are agents of …". */
        role: Text(1_000),
      },
      { additionalProperties: false },
    ),
    suppliers: Type.Object(
      { electricity: Supplier, gas: Supplier, broadband: Supplier },
      { additionalProperties: false },
    ),
    complaints: Type.Object(
      {
        address: AddressLines,
        phone: Text(40),
        email: Text(200),
        procedure: Text(2_000),
        energyOmbudsman: Text(500),
        broadbandOmbudsman: Text(500),
      },
      { additionalProperties: false },
    ),
    /** Each in sentences a tenant understands. */
    terms: Type.Object(
      {
        /** Recorded with every acceptance. */
        version: Text(60),
        endingEarly: Text(2_000),
        /** What happens after the last day: whether anything goes on, and at what price. */
        atTheEnd: Text(1_000),
        deposit: Text(1_000),
        latePayment: Text(1_000),
        /** What comes with broadband, such as a router, and whose it is. */
        broadbandEquipment: Text(1_000),
        /** Who pays for sending equipment back after cancelling. */
        returningEquipment: Text(1_000),
        minimumServiceQuality: Text(1_000),
        afterSales: Text(1_000),
        codesOfConduct: Text(1_000),
        featuresForDisabledUsers: Text(1_000),
        clauses: Type.Array(Type.Object({ heading: Text(200), text: Text(4_000) }, { additionalProperties: false }), {
          maxItems: 60,
        }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)
export type OperatorFile = Static<typeof OperatorFile>
