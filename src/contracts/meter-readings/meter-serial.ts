/** A serial number of a meter in the one way in which it is stored: capitals and digits, so that equal ones compare equal. */
export function meterSerial(given: string): string {
  return given.toUpperCase().replace(/[^0-9A-Z]/g, '')
}
