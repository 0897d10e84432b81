/** A customer: the organisation that owns licenses and users. */
export interface Tenant {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
}
