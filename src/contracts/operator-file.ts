import Type, { type Static } from 'typebox'
import { serviceNames, serviceRow } from '../quoting/packages/services.ts'
import { conditionMembers, termsTextSchema } from './terms/conditional-text.ts'
import { EarlyExitTerms, LatePaymentTerms } from './terms/fee-terms.ts'

const closed = { additionalProperties: false } as const
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
const AddressLines = Type.Array(Text(200), { minItems: 1, maxItems: 8 })

const Supplier = Type.Object({ name: Text(200), address: Text(400), phone: Text(40) }, closed)

const Trader = Type.Object(
  {
    /** The trading name, which tenants know. */
    name: Text(200),
    legalName: Text(200),
    companyNumber: Type.Optional(Text(40)),
    vatNumber: Type.Optional(Text(40)),
    address: AddressLines,
    phone: Text(40),
    email: Text(200),
    website: Type.Optional(Text(200)),
    /** What a phone call to the trader costs, e.g. "calls cost no more than to a geographic number". */
    costOfContact: Text(300),
    /**
     * The capacity in which the trader makes the contract, and for whom it acts: "We buy the energy and resell it", "We
     * are agents of …".
     */
    role: Text(1_000),
  },
  closed,
)

const complaintsFields = {
  address: AddressLines,
  phone: Text(40),
  email: Text(200),
  procedure: termsTextSchema(Text(2_000)),
}

/** A version is part of a URL. It cannot end in `.pdf`, which is how the PDF's URL ends. */
const termsVersionPattern = '^(?!.*\\.pdf$)[A-Za-z0-9][A-Za-z0-9._-]*$'

/**
 * The operator's terms, in plain sentences for tenants. A text whose schema is `parts` can have parts for certain
 * contracts only.
 */
function termsSchema() {
  const parts = (maxLength: number) => termsTextSchema(Text(maxLength))
  const clause = Type.Object({ heading: Text(200), text: Text(4_000), ...conditionMembers }, closed)
  return Type.Object(
    {
      /** The version of the terms, which is recorded with every acceptance. */
      version: Type.String({ pattern: termsVersionPattern, maxLength: 60 }),
      /** Used only without `earlyExit`. */
      endingEarly: Type.Optional(Text(2_000)),
      /** What happens after the last day: whether supply continues, and at what price. */
      atTheEnd: parts(1_000),
      /** Absent if there is none. */
      deposit: Type.Optional(Text(1_000)),
      /** Used only without `latePayment`. */
      latePayment: Type.Optional(Text(1_000)),
      /** What broadband includes, such as a router, and who owns it. */
      broadbandEquipment: parts(1_000),
      /** Who pays to return equipment after cancelling. In one piece, it is about broadband equipment. */
      returningEquipment: parts(1_000),
      minimumServiceQuality: parts(1_000),
      afterSales: parts(1_000),
      codesOfConduct: parts(1_000),
      featuresForDisabledUsers: parts(1_000),
      clauses: Type.Array(clause, { maxItems: 60 }),
    },
    closed,
  )
}

const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })

/** How the tenants' pages and e-mails look. The colours are checked for contrast when the service starts. */
const OperatorLook = Type.Object(
  {
    /** For links and buttons on white: at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
    colour: Colour,
    /** For links and buttons on the dark background, where the device prefers it. */
    colourInDark: Colour,
    /** A PNG or SVG image as a base64 `data:` URL. */
    logo: Type.Optional(
      Type.String({ pattern: '^data:image/(png|svg\\+xml);base64,[A-Za-z0-9+/]+=*$', maxLength: 60_000 }),
    ),
  },
  closed,
)

/**
 * The operator's file (`OPERATOR_FILE`, JSON): the trader, suppliers, complaints and terms that every contract prints.
 * A live service does not start without this file. A sandbox uses a sample that is marked as such. A line break in a
 * text starts a new paragraph.
 */
export interface OperatorFile {
  /** True only for the shipped sample. Every page of a document then says that it is a sample. */
  sample?: boolean
  trader: Static<typeof Trader>
  /** The suppliers, keyed by service. */
  suppliers: Record<string, Static<typeof Supplier>>
  /** How to complain, and the redress scheme of each contract section, for example `energyOmbudsman`. */
  complaints: Static<Type.TObject<typeof complaintsFields>> & { [scheme: `${string}Ombudsman`]: string }
  terms: Static<ReturnType<typeof termsSchema>>
  earlyExit?: EarlyExitTerms
  latePayment?: LatePaymentTerms
  look?: Static<typeof OperatorLook>
  /**
   * How the operator uses tenants' data: the https address of its notice, or its text, which `/privacy` shows. Live
   * does not start without it.
   */
  privacyNotice?: string
}

/** The schema of the file, which requires a supplier for each service and an ombudsman for each contract section. */
export function operatorFileSchema() {
  const suppliers = Object.fromEntries(serviceNames().map((service) => [service, Supplier]))
  const ombudsmen = Object.fromEntries(
    serviceNames().map((service) => [`${serviceRow(service).contractSection}Ombudsman`, Text(500)]),
  )
  return Type.Unsafe<OperatorFile>(
    Type.Object(
      {
        sample: Type.Optional(Type.Boolean()),
        trader: Trader,
        suppliers: Type.Object(suppliers, closed),
        complaints: Type.Object({ ...complaintsFields, ...ombudsmen }, closed),
        terms: termsSchema(),
        earlyExit: Type.Optional(EarlyExitTerms),
        latePayment: Type.Optional(LatePaymentTerms),
        look: Type.Optional(OperatorLook),
        privacyNotice: Type.Optional(Text(20_000)),
      },
      closed,
    ),
  )
}

/** Where a deployment says how it uses data. It has no secret, so contracts and e-mails print it. */
export function privacyAddress(publicUrl: string): string {
  return `${publicUrl}${privacyPath}`
}

/** The path of that page. */
export const privacyPath = '/privacy'
