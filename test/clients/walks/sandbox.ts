/** What a walk needs to know about the sandbox. */
export interface Sandbox {
  baseUrl: string
  clientId: string
  clientSecret: string
  /** A postcode with sample properties. */
  postcode: string
}

/** What a walk found, through the types of its client. */
export interface WalkResult {
  /** The customer's status after they accepted the terms. */
  status: string | undefined
  /** In pence. */
  totalCost: number | undefined
  /** The error code of cancelling the completed quote. */
  rejection: string | undefined
  /** Counts the events that report a completed quote. They are listed within about a second. */
  countCompleted(): Promise<number>
}

/** The tenant's details, which every walk submits. */
export const personalInformation = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '07700 900123',
  dateOfBirth: '1995-12-10',
}
