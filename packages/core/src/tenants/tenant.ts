/** A customer: the organisation that licenses and users belong to. */
export interface Tenant {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
}
