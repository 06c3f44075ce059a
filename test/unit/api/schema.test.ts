/** The exported schemas are zod's in the code, and `Schema` in the declarations. */
import { expect, expectTypeOf, test } from 'vitest'
import * as client from '../../../src/client.ts'

test('every exported schema is a Schema', () => {
  expectTypeOf(client.jobSchema).toExtend<client.Schema<client.Job>>()
  expectTypeOf(client.envelopeSchema(client.jobSchema).parse).returns.toHaveProperty('data').toEqualTypeOf<client.Job>()
  const schemas = Object.entries(client).filter(([name]) => /^(?!envelope).*Schema$/.test(name))
  expect(schemas.length).toBeGreaterThan(30)
  for (const [name, schema] of schemas as [string, client.Schema<unknown>][]) {
    expect([name, schema['~standard'].version]).toEqual([name, 1])
    expect([name, schema.safeParse(Symbol('none')).success]).toEqual([name, false])
    const { error } = schema.safeParse(Symbol('none'))
    expect([name, error]).toEqual([name, expect.any(Error)])
    expect([name, error?.issues[0]]).toEqual([name, expect.objectContaining({ message: expect.any(String), path: [] })])
    expect(() => schema.parse(Symbol('none'))).toThrow()
  }
})
