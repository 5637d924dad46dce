/** An invented tenant. The e-mail addresses lead nowhere (RFC 2606), and Ofcom keeps the phone numbers for drama. */
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

/** The first so many tenants of the invented household, the lead first. */
export function inventHousehold(tenants: number): InventedTenant[] {
  return names.slice(0, tenants).map(([firstName, lastName], index) => ({
    firstName,
    lastName,
    email: `journey.tenant.${index + 1}@example.com`,
    phone: `07700 900${String(101 + index)}`,
    dateOfBirth: `${1996 + (index % 8)}-0${1 + (index % 9)}-15`,
  }))
}
