/** What the connector needs to know of a tenancy, whatever the CRM calls it. */
export interface Tenancy {
  /** The CRM's id, which becomes the reference of the quote. */
  id: string
  address: string
  postcode: string
  startsOn: string
  branch?: string
  soldBy?: string
  tenants: { name: string; email: string }[]
}

/** A tenancy as Reapit sends it with a webhook, with the property and the contacts that you ask it to embed. */
export interface ReapitEvent {
  entityType: 'tenancies'
  new: {
    id: string
    startDate: string
    officeId?: string
    negotiatorId?: string
    _embedded: {
      property: { address: { buildingNumber: string; line1: string; postcode: string } }
      contacts: { forename: string; surname: string; email: string }[]
    }
  }
}

/** A tenancy as Street sends it: JSON:API, with what belongs to it in `included`. */
export interface StreetEvent {
  data: { type: 'tenancy'; id: string; attributes: { start_date: string } }
  included: (
    | { type: 'property'; attributes: { inline_address: string; postcode: string } }
    | { type: 'branch'; attributes: { name: string } }
    | { type: 'tenant'; attributes: { full_name: string; email_address: string } }
  )[]
}

/** The tenancy of a message of either CRM. */
export function readTenancy(event: ReapitEvent | StreetEvent): Tenancy {
  if ('entityType' in event) {
    const { id, startDate, officeId, negotiatorId, _embedded: of } = event.new
    const { buildingNumber, line1, postcode } = of.property.address
    const people = of.contacts.map(({ forename, surname, email }) => ({ name: `${forename} ${surname}`, email }))
    const seller = { ...(officeId && { branch: officeId }), ...(negotiatorId && { soldBy: negotiatorId }) }
    return {
      id,
      address: `${buildingNumber} ${line1}`.trim(),
      postcode,
      startsOn: startDate,
      ...seller,
      tenants: people,
    }
  }
  const { data, included } = event
  const tenancy: Tenancy = { id: data.id, address: '', postcode: '', startsOn: data.attributes.start_date, tenants: [] }
  for (const { type, attributes } of included) {
    if (type === 'branch') tenancy.branch = attributes.name
    else if (type === 'tenant') tenancy.tenants.push({ name: attributes.full_name, email: attributes.email_address })
    else Object.assign(tenancy, { address: attributes.inline_address, postcode: attributes.postcode })
  }
  return tenancy
}
