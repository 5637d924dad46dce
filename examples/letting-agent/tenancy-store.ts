import { DatabaseSync } from 'node:sqlite'

/** A tenancy whose bills are sold. */
export interface Tenancy {
  tenancyId: string
  address: string
  quoteId: string
}

/** A tenant, with what Housebill said last about them. */
export interface TenancyTenant {
  /** The secret part of the tenant's link. */
  linkToken: string
  tenancyId: string
  customerId: string
  name: string
  email: string
  status: string
  paymentStatus: string
  /** The status of the tenant's contract; null if there is none. */
  contract: string | null
}

/**
 * What the application keeps, in a file of its own. It has no card, no date of birth and no document: those stay in
 * Housebill.
 */
export class TenancyStore {
  readonly #db: DatabaseSync

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 5_000 })
    this.#db.exec(`
      create table if not exists tenancies (tenancyId text primary key, address text not null, quoteId text not null) strict;
      create table if not exists tenants (
        linkToken text primary key, tenancyId text not null references tenancies, customerId text not null unique, name text not null,
        email text not null, status text not null, paymentStatus text not null, contract text) strict;`)
  }

  /** Stores a tenancy with its tenants. */
  add(tenancy: Tenancy, tenants: readonly TenancyTenant[]): void {
    this.#db.exec('begin')
    this.#db.prepare('insert into tenancies values (:tenancyId, :address, :quoteId)').run({ ...tenancy })
    const add = this.#db.prepare(
      `insert into tenants values (:linkToken, :tenancyId, :customerId, :name, :email, :status, :paymentStatus, :contract)`,
    )
    for (const tenant of tenants) add.run({ ...tenant })
    this.#db.exec('commit')
  }

  setStatus(customerId: string, status: string, paymentStatus: string, contract: string | null): void {
    this.#db
      .prepare('update tenants set status = ?, paymentStatus = ?, contract = ? where customerId = ?')
      .run(status, paymentStatus, contract, customerId)
  }

  tenancies(): Tenancy[] {
    return this.#db.prepare('select * from tenancies order by rowid desc').all() as unknown as Tenancy[]
  }

  tenancy(tenancyId: string): Tenancy {
    const [tenancy] = this.tenancies().filter((each) => each.tenancyId === tenancyId)
    if (tenancy === undefined) throw new Error(`there is no tenancy ${tenancyId}`)
    return tenancy
  }

  tenants(tenancyId: string): TenancyTenant[] {
    const rows = this.#db.prepare('select * from tenants where tenancyId = ? order by rowid').all(tenancyId)
    return rows as unknown as TenancyTenant[]
  }

  findTenant(linkToken: string): TenancyTenant | undefined {
    return this.#db.prepare('select * from tenants where linkToken = ?').get(linkToken) as TenancyTenant | undefined
  }
}
