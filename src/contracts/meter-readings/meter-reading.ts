import type { IsoDate } from '../../platform/kernel/dates.ts'
import { type Service, serviceNames, serviceRow } from '../../quoting/packages/services.ts'

/** The services that are measured at a meter point of the home. */
export const servicesWithMeter = serviceNames().filter((name) => serviceRow(name).metered?.meter)

/** The registers of a meter: one, or one for each rate of a two-rate meter, which only electricity has. */
export const meterRegisters = ['single', 'day', 'night'] as const
export type MeterRegister = (typeof meterRegisters)[number]

/** What a register of a home's meter showed on a day. The home has one meter point for each service with a meter. */
export interface MeterReading {
  service: Service
  readOn: IsoDate
  register: MeterRegister
  /** The serial number on the meter, as `meterSerial` makes it; null if nobody said. */
  meterSerial: string | null
  /** The whole units on the meter's display. */
  reading: number
  reportedAt: Date
}

/** A serial number of a meter in the one way in which it is stored: capitals and digits, so that equal ones compare equal. */
export function meterSerial(given: string): string {
  return given.toUpperCase().replace(/[^0-9A-Z]/g, '')
}
