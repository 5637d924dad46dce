/** An invented tenant. The email domain is reserved by RFC 2606; the phone numbers are those that Ofcom reserves for drama. */
export interface InventedTenant {
  firstName: string
  lastName: string
  email: string
  phone: string
  dateOfBirth: string
}

const names = [
  ['Amara', 'Okafor'],
  ['Ben', 'Carter'],
  ['Chloe', 'Davies'],
  ['Dev', 'Patel'],
  ['Eilidh', 'Fraser'],
  ['Farid', 'Hussain'],
  ['Grace', 'Whitmore'],
  ['Hugo', 'Lindqvist'],
  ['Isla', 'Murray'],
  ['Jun', 'Tanaka'],
  ['Katya', 'Novak'],
  ['Liam', 'O’Brien'],
] as const

export const maxTenants = names.length

/** The first `tenants` people of the invented household, with the lead tenant first. */
export function inventHousehold(tenants: number): InventedTenant[] {
  return names.slice(0, tenants).map(([firstName, lastName], index) => ({
    firstName,
    lastName,
    email: `journey.tenant.${index + 1}@example.com`,
    phone: `07700 900${String(101 + index)}`,
    dateOfBirth: `${1996 + (index % 8)}-0${1 + (index % 9)}-15`,
  }))
}
