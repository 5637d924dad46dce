import { serviceNames, serviceRow } from '../../quoting/packages/services.ts'
import type { QuotedAddress } from '../../quoting/quotes/quote.ts'
import { fullName, type PersonalDetails } from '../../quoting/tenants/customer.ts'
import type { ContractRecord, ContractService } from '../contract-feed/contract-record.ts'
import type { FeedSelection } from '../contract-feed/feed-rows.store.ts'
import type { Row } from './export-page.ts'

/** The columns of a home. */
export const propertyColumns = [
  'addressLine1',
  'addressLine2',
  'city',
  'county',
  'country',
  'postCode',
  'uprn',
] as const
/** The columns of a person to write to. */
export const contactColumns = ['name', 'email', 'phone'] as const

/** A home as cells; empty without one. */
export function homeOf(address: QuotedAddress | undefined): Row {
  return Object.fromEntries(propertyColumns.map((name) => [name, address?.[name] ?? null]))
}

/** A person as cells; empty without one. */
export function contactOf(personal: PersonalDetails | null | undefined): Row {
  return { name: personal ? fullName(personal) : null, email: personal?.email ?? null, phone: personal?.phone ?? null }
}

/** The columns about who moves into a home and who leaves it. */
const occupierColumns = ['changeOfOccupier', 'moveInDate', 'nextOccupier', 'nextOccupierName', 'nextOccupierContact']

function occupiersOf({ row, nextOccupier }: ContractRecord): Row {
  return {
    ...{ changeOfOccupier: true, moveInDate: row.moveInDate, nextOccupier: nextOccupier?.who ?? null },
    ...{ nextOccupierName: nextOccupier?.name ?? null, nextOccupierContact: nextOccupier?.contact ?? null },
  }
}

/** A file with lines about contracts. docs/operator/files.md describes the columns. */
interface ContractFile {
  /** Which entries of the feed it reads. */
  selection: FeedSelection
  columns: readonly string[]
  /** The lines of a record; none if the file does not list it. */
  rows(record: ContractRecord): Row[]
}

/** Every contract once, as it is now. */
const contractsFile: ContractFile = {
  selection: 'contracts',
  columns: [
    ...[
      'contractNumber',
      'version',
      'status',
      'partnerId',
      'partnerName',
      'quoteId',
      'customerId',
      'agreedAt',
      'effectiveAt',
    ],
    ...[
      'cancellableUntil',
      'startsOn',
      'endsOn',
      'endedOn',
      'endReason',
      'endCause',
      'householdClosed',
      ...contactColumns,
      'dateOfBirth',
      'forwardingAddress',
    ],
    ...[...propertyColumns, 'mpan', 'mprn', 'installDate', 'monthlyCost', 'totalCost', 'totalNet', 'totalVat'],
    ...['processorCustomerId', 'documentHash', 'htmlSha256', 'pdfSha256', ...occupierColumns, 'quotingToolVersionId'],
  ],
  rows(record) {
    const { row, person, cancellableUntil, isClosed } = record
    const [share] = row.price?.shares ?? []
    const { contractNumber, version, status, partnerId, partnerName, quoteId, customerId, startsOn, endsOn } = row
    return [
      {
        ...{ contractNumber, version, status, partnerId, partnerName, quoteId, customerId, startsOn, endsOn },
        agreedAt: row.agreedAt.toISOString(),
        effectiveAt: row.effectiveAt?.toISOString() ?? null,
        cancellableUntil: cancellableUntil?.toISOString() ?? null,
        endedOn: row.endedOn,
        endReason: row.endReason,
        endCause: record.endCause,
        householdClosed: isClosed,
        ...contactOf(person?.personal),
        dateOfBirth: person?.personal.dateOfBirth ?? null,
        forwardingAddress: person?.personal.forwardingAddress || null,
        ...homeOf(person?.address),
        mpan: person?.address.mpan ?? null,
        mprn: person?.address.mprn ?? null,
        installDate: person?.installDate ?? null,
        monthlyCost: share?.monthlyCost ?? null,
        totalCost: share?.totalCost ?? null,
        totalNet: share?.totalNet ?? null,
        totalVat: share?.totalVat ?? null,
        processorCustomerId: person?.processorCustomerId ?? null,
        documentHash: row.documentHash,
        htmlSha256: row.acceptance?.htmlSha256 ?? null,
        pdfSha256: row.acceptance?.pdfSha256 ?? null,
        ...occupiersOf(record),
        quotingToolVersionId: row.price?.quotingToolVersionId ?? null,
      },
    ]
  },
}

/** The columns of a service whose supply is to be ordered, before those that only some services have. */
const orderColumns = ['quoteId', 'service', 'serviceId', 'supplier'] as const
const orderStateColumns = [
  ...['status', 'statusSince', 'reason', 'actsNext', 'waitingSince', 'expectedOn', 'supplierReference'],
  ...['householdClosed', 'startsOn', 'endsOn', ...occupierColumns],
]

function orderOf(
  record: ContractRecord,
  { serviceId, line, supplier, status, report, actsNext, waitingSince }: ContractService,
): Row {
  const { row, isClosed } = record
  return {
    ...occupiersOf(record),
    ...{ reason: report?.reason ?? null, actsNext, waitingSince, expectedOn: report?.expectedOn ?? null },
    ...{ quoteId: row.quoteId, service: line.type, serviceId, supplier, status },
    statusSince: report?.effectiveOn ?? null,
    supplierReference: report?.supplierReference ?? null,
    householdClosed: isClosed,
    startsOn: line.startDate,
    endsOn: line.endDate,
  }
}

/** Several values in one cell, separated by spaces; null without any. */
function joined(values: readonly (string | number)[]): string | null {
  return values.length === 0 ? null : values.join(' ')
}

const useColumns = new Set(serviceNames().flatMap((name) => serviceRow(name).metered?.useColumn ?? []))

/** Supply registration: one line for each metered service of each household that is or was in force. */
const supplyFile: ContractFile = {
  selection: 'households',
  columns: [
    ...[
      ...orderColumns,
      'meterPoint',
      'meterPointAlsoOf',
      ...orderStateColumns,
      'unitRate',
      'standingCharge',
      ...useColumns,
    ],
    ...['meterReadOn', 'meterReadings', 'meterRegisters', 'meterSerials', 'supplierMeterSerial'],
    ...[...contactColumns, 'forwardingAddress', ...propertyColumns],
    ...['meterPayment', 'registers', 'smartMeter', 'heating', 'dayRate', 'nightRate'],
  ],
  rows(record) {
    const { row, person } = record
    if (person === null) return []
    return record.services.flatMap((service) => {
      const { metered } = serviceRow(service.line.type)
      if (metered === null) return []
      return [
        {
          ...orderOf(record, service),
          meterPoint: metered.meter && person.address[metered.meter.field],
          unitRate: service.rate?.unitRate ?? null,
          standingCharge: service.rate?.standingCharge ?? null,
          [metered.useColumn]: row.price?.[`${metered.useKey}PerYear`] ?? null,
          meterReadOn: joined(service.meterReadings.map(({ readOn }) => readOn)),
          meterReadings: joined(service.meterReadings.map(({ reading }) => reading)),
          meterRegisters: joined(service.meterReadings.map(({ register }) => register)),
          meterSerials: joined(service.meterReadings.map(({ meterSerial }) => meterSerial ?? '-')),
          supplierMeterSerial: service.report?.meterSerial ?? null,
          ...contactOf(record.primaryContact?.personal),
          forwardingAddress: record.primaryContact?.personal?.forwardingAddress || null,
          ...homeOf(person.address),
          meterPayment: person.meter?.payment ?? 'unknown',
          registers: person.meter?.registers ?? 'unknown',
          smartMeter: String(person.meter?.smart ?? 'unknown'),
          heating: person.meter?.heating ?? 'unknown',
          dayRate: service.rate?.twoRate?.dayRate ?? null,
          nightRate: service.rate?.twoRate?.nightRate ?? null,
        },
      ]
    })
  },
}

/**
 * Broadband orders: one line for each broadband product of each household that is or was in force. `line` is the
 * product of the line, also where an add-on goes with it.
 */
const broadbandFile: ContractFile = {
  selection: 'households',
  columns: [
    ...[...orderColumns, 'product', 'productName', 'kind', 'line', 'speedMbps', 'installDate', ...orderStateColumns],
    ...[...contactColumns, 'forwardingAddress', ...propertyColumns],
  ],
  rows(record) {
    const { person } = record
    if (person === null) return []
    const products = new Map(person.broadbandProducts.map((product) => [product.productId, product]))
    const line = person.broadbandProducts.find(({ kind }) => kind === 'line')
    return record.services.flatMap((service) => {
      const product = products.get(service.line.productId ?? '')
      if (product === undefined) return []
      return [
        {
          ...orderOf(record, service),
          ...{ product: product.productId, productName: product.name, kind: product.kind },
          ...{ line: line?.productId ?? null, speedMbps: line?.speedMbps ?? null, installDate: person.installDate },
          ...contactOf(record.primaryContact?.personal),
          forwardingAddress: record.primaryContact?.personal?.forwardingAddress || null,
          ...homeOf(person.address),
        },
      ]
    })
  },
}

/** The files about contracts by kind. */
export const contractFiles = { contracts: contractsFile, supply: supplyFile, broadband: broadbandFile }
