import Type, { type Static } from 'typebox'
import {
  ContractNumber,
  ContractObject,
  ContractStatusName,
  EndCauseName,
  presentContract,
} from '../../contracts/contract.schema.ts'
import { FinalStatement, presentSettlement } from '../../contracts/ended-contract.schema.ts'
import {
  MeterSerial,
  maxMeterReadings,
  readingFields,
  shownReadingFields,
} from '../../contracts/meter-readings/meter-reading.schema.ts'
import { SupplyReasonName } from '../../contracts/supply/supply-report.schema.ts'
import { nothingElse, supplyActors } from '../../contracts/supply/supply-report.ts'
import { PaymentMethod } from '../../onboarding/customer.schema.ts'
import { Payment } from '../../payments/payment.schema.ts'
import { Choice, described, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Count, DateOnly, Flag, Id, presentAs, Text } from '../../platform/http/schemas/values.ts'
import { Address } from '../../properties/address.schema.ts'
import { MeterFactsObject } from '../../properties/meter-facts/meter-facts.schema.ts'
import { ServiceStatusName, ServiceType } from '../../quoting/packages/service-status.schema.ts'
import { costFields, maxLines, presentCost } from '../../quoting/pricing/cost.schema.ts'
import { MoveInObject, NextOccupierObject } from '../../quoting/quotes/occupiers.schema.ts'
import { maxTenantsEver } from '../../quoting/quotes/quote.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import type { ContractRecord, ContractService } from './contract-record.ts'

const Rate = ResponseObject('AgreedRate', 'The rates that were agreed for a metered service, including VAT.', {
  unitRate: Text(20, 'Pence per unit of use, such as kWh.'),
  standingCharge: Text(20, 'Pence per day.'),
  vatRate: Text(20, 'The VAT rate that the rates include, as a fraction.'),
  twoRate: Type.Optional(
    ResponseObject('AgreedTwoRate', 'The rates of a meter with two registers. Absent if one rate was agreed.', {
      dayRate: Text(20, 'Pence per unit by day, instead of `unitRate`.'),
      nightRate: Text(20, 'Pence per unit by night.'),
      nightShare: Text(20, 'The share of the use that was assumed to be at night, as a fraction.'),
      standingCharge: Text(20, 'The standing charge for both, in pence per day including VAT.'),
    }),
  ),
})

const Service = ResponseObject('ContractService', "A service of the home, with the customer's own share of its cost.", {
  serviceId: Id('The id of the service, as the customer sees it.'),
  type: ServiceType,
  packageId: Id('The id of the package.'),
  productId: Nullable(Id('The id of the broadband product; null for every other service.')),
  name: Text(200, 'The name of the package or product.'),
  supplier: Nullable(
    Text(200, 'The supplier or broadband provider that the contract names; null if the contract is older than that.'),
  ),
  status: ServiceStatusName,
  statusSince: Nullable(DateOnly('The day from which the status holds; null until something was reported.')),
  reason: Nullable(SupplyReasonName),
  comment: Nullable(Text(200, 'What was noted with the last report; null if nothing.')),
  actsNext: Nullable(
    Choice(supplyActors, 'Who has to do something before the supply can go on; null if nobody has to.'),
  ),
  waitingSince: Nullable(
    DateOnly(
      'Since when they have: the day of the last report or, before there was one, the first day of the contract’s force; null if nobody has to.',
    ),
  ),
  expectedOn: Nullable(
    DateOnly('The day on which supply is now expected to begin, if that was reported; otherwise null.'),
  ),
  newOccupierFrom: Nullable(
    DateOnly('From when the supplier has another occupier of the home; null if it does not say so.'),
  ),
  supplierMeterSerial: Nullable(
    MeterSerial('The serial number of the meter that the supplier has; null if it did not say.'),
  ),
  answeredOn: Nullable(DateOnly('When the supplier first answered about an erroneous transfer; otherwise null.')),
  answerBy: Nullable(DateOnly('By when a supplier must first answer about an erroneous transfer; otherwise null.')),
  resolveBy: Nullable(DateOnly('By when an erroneous transfer must be put right; otherwise null.')),
  supplierReference: Nullable(Text(200, "The supplier's reference that was reported last; null if none was.")),
  startDate: DateOnly('The first day of supply.'),
  endDate: DateOnly('The last day of supply as agreed.'),
  meterReadings: Type.Array(
    ResponseObject('ServiceMeterReading', 'What the meter of a service showed on a day.', {
      readOn: readingFields.readOn,
      reading: readingFields.reading,
      ...shownReadingFields,
    }),
    {
      maxItems: maxMeterReadings,
      description: 'What its meter showed, by day, whoever of the household or the operator reported it.',
    },
  ),
  rate: Nullable(Rate),
  ...costFields,
})

const PrimaryContact = ResponseObject(
  'PrimaryContact',
  'The customer to write to about the home; null if nobody is left.',
  {
    customerId: Id('The id of the customer.'),
    name: Nullable(Text(300, 'First and last name; null before the contract is in force and after an erasure.')),
    email: Nullable(Text(254, 'The e-mail address; null where the name is.')),
    phone: Nullable(Text(40, 'The phone number in E.164 format; null where the name is.')),
  },
)

const Household = ResponseObject('ContractHousehold', 'The household that shares the home, as it is now.', {
  contracts: Type.Array(
    ResponseObject('HouseholdContract', 'A contract of the household.', {
      contractNumber: ContractNumber,
      customerId: Id('The id of the customer.'),
      status: ContractStatusName,
    }),
    {
      maxItems: maxTenantsEver,
      description: 'Every contract of the household, whatever became of it, in the order of agreement.',
    },
  ),
  primaryContact: Nullable(PrimaryContact),
  changeOfOccupier: Type.Literal(true, {
    description: 'Always true: every sale is to people who move in. Tell the supplier, so that nobody objects.',
  }),
  moveInDate: DateOnly('The day on which the household moves in; it may be before the first day of its contracts.'),
  moveIn: Nullable(MoveInObject),
  nextOccupier: Nullable(NextOccupierObject),
  closed: Flag('Whether every contract of the household is over. Then supply must end.'),
})

const Consumption = Type.Record(Type.String({ pattern: 'PerYear$' }), Type.Number(), {
  description: "The home's assumed yearly use of each metered service, such as `electricityKwhPerYear`.",
})

const PersonInContract = ResponseObject(
  'ContractPerson',
  'Who the customer is, where they live and how they pay. Null before the contract is in force and after an erasure.',
  {
    name: Text(300, 'First and last name.'),
    firstName: Text(100, 'The first name.'),
    lastName: Text(100, 'The last name. May be empty.'),
    email: Text(254, 'The e-mail address.'),
    phone: Text(40, 'The phone number in E.164 format.'),
    forwardingAddress: Nullable(
      Text(
        300,
        'Where the customer wants letters after they leave; null if they did not say. Never show it to housemates.',
      ),
    ),
    dateOfBirth: Nullable(DateOnly('The date of birth.')),
    home: Address,
    meter: Nullable(
      described(
        MeterFactsObject,
        'What was known of the meters and heating when the household signed, as corrected; null if nothing.',
      ),
    ),
    broadbandProducts: Type.Array(
      ResponseObject('ContractBroadbandProduct', 'A broadband product that was agreed.', {
        productId: Id('The id of the product at the provider.'),
        name: Text(200, 'The name of the product.'),
        kind: Text(10, 'Either `line` or `addon`.'),
      }),
      { maxItems: maxLines, description: 'The broadband products; empty without broadband.' },
    ),
    installDate: Nullable(DateOnly('The day on which broadband is installed; null without broadband.')),
    processorCustomerId: Nullable(Id('The id of the customer at the payment processor.')),
    paymentMethod: Nullable(PaymentMethod),
    plan: Type.Array(Type.Omit(Payment, ['status']), {
      maxItems: 1_000,
      description: 'The payments that were agreed, in order.',
    }),
  },
)

export const ContractRecordObject = ResponseObject('ContractRecord', 'A contract as it is now, self-contained.', {
  ...ContractObject.properties,
  version: Count('The version. It increases with every change: skip what is not newer than what you have.'),
  partnerId: Id('The id of the partner that sold it.'),
  partnerName: Text(200, 'The name of that partner.'),
  quoteId: Id('The id of the quote, which stands for the household and its home.'),
  customerId: Id('The id of the customer.'),
  household: Household,
  person: Nullable(PersonInContract),
  quotingToolVersionId: Nullable(Id('The rate card that it was priced on; null once the price is erased.')),
  services: Type.Array(Service, { maxItems: maxLines, description: 'The services of the home.' }),
  consumption: Consumption,
  endCause: Nullable(
    described(
      EndCauseName,
      'Why the contract ends early. Partners and housemates see no more than `endReason`: keep it to yourself. Null if the contract does not end early, was cancelled or taken over.',
    ),
  ),
  finalStatement: Nullable(
    described(
      FinalStatement,
      'What was owed when the contract was cancelled or ended early; null for any other. From then on, `person.plan` takes too much: collect what `GET /Payments` lists.',
    ),
  ),
  cost: Nullable(ResponseObject('ContractCost', "The customer's own share of all costs.", costFields)),
  documents: Nullable(
    ResponseObject('ContractDocuments', 'The hashes of the documents that the customer received.', {
      documentHash: Nullable(Text(64, 'The SHA-256 of everything agreed, in hexadecimal.')),
      htmlSha256: Text(64, 'The SHA-256 of the HTML document, in hexadecimal.'),
      pdfSha256: Text(64, 'The SHA-256 of the PDF document, in hexadecimal.'),
      path: Nullable(
        Text(200, 'Where they are: `GET` this path. Null until the contract is in force, and after an erasure.'),
      ),
    }),
  ),
})

/** The record as JSON. */
export function presentContractRecord(record: ContractRecord): Static<typeof ContractRecordObject> {
  const { row, isClosed, services } = record
  const { price, acceptance, documentHash } = row
  const [share] = price?.shares ?? []
  return {
    ...presentContract(row),
    version: row.version,
    partnerId: row.partnerId,
    partnerName: row.partnerName,
    quoteId: row.quoteId,
    customerId: row.customerId,
    household: {
      contracts: row.household.map(({ contractNumber, customerId, status }) => ({
        contractNumber,
        customerId,
        status,
      })),
      primaryContact: presentContact(record.primaryContact),
      ...{ changeOfOccupier: true, moveInDate: row.moveInDate, moveIn: row.moveIn },
      nextOccupier: record.nextOccupier && presentAs(NextOccupierObject, record.nextOccupier),
      closed: isClosed,
    },
    person: presentPerson(record.person),
    quotingToolVersionId: price?.quotingToolVersionId ?? null,
    services: services.map(presentService),
    consumption: Object.fromEntries(
      Object.entries(price ?? {}).filter(([key, value]) => key.endsWith('PerYear') && typeof value === 'number'),
    ) as Record<string, number>,
    endCause: record.endCause,
    finalStatement: row.finalStatement && presentSettlement(row.finalStatement),
    cost: share === undefined ? null : presentCost(share),
    documents: acceptance && {
      documentHash,
      htmlSha256: acceptance.htmlSha256,
      pdfSha256: acceptance.pdfSha256,
      path: record.person && `/operator-api/Contracts/${row.contractNumber}/documents`,
    },
  }
}

function presentService({ line, report, ...service }: ContractService): Static<typeof Service> {
  return presentAs(Service, {
    ...line,
    ...service,
    ...(report ?? { ...nothingElse, answerBy: null, resolveBy: null }),
    ...{ status: service.status, statusSince: report?.effectiveOn ?? null },
    supplierMeterSerial: report?.meterSerial ?? null,
  })
}

function presentContact(contact: ContractRecord['primaryContact']): Static<typeof PrimaryContact> | null {
  if (contact === null) return null
  const { customerId, personal } = contact
  const name = personal === null ? null : fullName(personal)
  return { customerId, name, email: personal?.email ?? null, phone: personal?.phone ?? null }
}

function presentPerson(person: ContractRecord['person']): Static<typeof PersonInContract> | null {
  if (person === null) return null
  const { personal, address, broadbandProducts, card } = person
  return presentAs(PersonInContract, {
    ...personal,
    ...person,
    name: fullName(personal),
    forwardingAddress: personal.forwardingAddress || null,
    home: presentAs(Address, address),
    broadbandProducts: broadbandProducts.map(({ productId, name, kind }) => ({ productId, name, kind })),
    paymentMethod: card,
  })
}
