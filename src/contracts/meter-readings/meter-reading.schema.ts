import Type, { type Static } from 'typebox'
import { NamedChoice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, presentAs, Text, Timestamp, WholeNumber } from '../../platform/http/schemas/values.ts'
import { type MeterReading, meterRegisters, servicesWithMeter } from './meter-reading.ts'

const MeterRegisterName = NamedChoice(
  'MeterRegister',
  meterRegisters,
  'The register: `single`, or `day` and `night` of a two-rate meter for electricity. If you leave it out, it is `single`.',
)

/** What says which meter showed what, and when. */
export const readingFields = {
  service: NamedChoice('MeteredService', servicesWithMeter, 'A service with a meter in the home.'),
  readOn: DateOnly('The day on which the meter was read.'),
  reading: WholeNumber({
    minimum: 0,
    maximum: 99_999_999,
    description: "The whole units on the meter's display, without the digits behind the decimal point.",
  }),
}

/** A serial number of a meter, as `meterSerial` stores it. */
export const MeterSerial = (description: string) => Text(20, `${description} Capitals and digits.`)
/** A serial number of a meter as somebody writes it. */
export const GivenMeterSerial = (description: string) =>
  Text(20, `${description} Letters and digits; spaces, dashes, slashes and dots count for nothing.`, {
    pattern: '^[0-9A-Za-z][0-9A-Za-z ./-]*$',
  })

/** What a request about a reading can say besides. */
export const furtherReadingFields = {
  register: Type.Optional(MeterRegisterName),
  meterSerial: Type.Optional(GivenMeterSerial('The serial number on the meter.')),
}

/** What every response with a reading shows besides. */
export const shownReadingFields = {
  register: MeterRegisterName,
  meterSerial: Nullable(MeterSerial('The serial number on the meter; null if it was not said.')),
}

/** The most readings of a household: one a day for each register, for the longest contract. */
export const maxMeterReadings = 10_000

export const MeterReadingObject = ResponseObject('MeterReading', 'What a meter of the home showed on a day.', {
  ...readingFields,
  ...shownReadingFields,
  reportedAt: Timestamp('When it was reported.'),
})

export function presentMeterReading(reading: MeterReading): Static<typeof MeterReadingObject> {
  return presentAs(MeterReadingObject, reading)
}
