import { expect, test } from 'vitest'
import { parseAddress } from '../../../src/service/store/postgres-pool.ts'

test.each([
  ['postgres://app:p@ss#x@host/db'],
  ['postgres://app:p@ss@host/db'],
  ['postgres://app:pa#ss@host/db'],
  ['postgres://app:pa/ss@host/db'],
  ['postgres://app:pa?ss@host/db'],
  ['postgres://app:100%@host/db'],
  ['postgres://app:p%zz@host/db'],
  ['postgres://app:secret@host/db?application_name=a@b'],
])('%s: the cause is named, and nothing of the address is printed', (address) => {
  const error = (() => {
    try {
      return parseAddress(address)
    } catch (thrown) {
      return thrown as Error
    }
  })()
  expect(error).toMatchObject({ code: 'SERVICE_START', message: expect.stringContaining('percent-encoded') })
  expect((error as Error).message).not.toMatch(/host|ss#|@ss|pa#|pa\/|pa\?|100|zz|secret|app/)
})

test.each([
  [''],
  [' '],
  ['postgres://'],
  ['ftp://app@host/db'],
  ['host/db'],
  ['postgres://app:p#ss'],
  ['postgres://host/%zz'],
])('%s cannot be read, and is not printed', (address) => {
  expect(() => parseAddress(address)).toThrow(/^cannot parse the database URL\. Write it as/)
})

test.each([
  ['postgres://app:p%40ss%23x@host:5432/db', 'host:5432/db', 'postgres://app:p%40ss%23x@host:5432/db'],
  ['  postgresql://app@host/db\n', 'host/db', 'postgres://app@host/db'],
  ['postgres://host/db?max=5', 'host/db', 'postgres://host/db?max=5'],
  ['postgres://app@[::1]:5432/db', '[::1]:5432/db', 'postgres://app@[::1]:5432/db'],
  [
    'postgres://app@/db?host=/var/run/postgresql',
    '/var/run/postgresql/db',
    'postgres://app@localhost/db?host=%2Fvar%2Frun%2Fpostgresql',
  ],
  ['postgres:///db', 'localhost/db', 'postgres://localhost/db'],
])('%s is used as it is meant', (address, place, connectionString) => {
  const parsed = parseAddress(address)
  expect(parsed.place).toBe(place)
  expect([connectionString, decodeURIComponent(connectionString)]).toContain(parsed.connectionString)
})

test('settings of the session do not go with the connection', () => {
  const options = encodeURIComponent('-c search_path=a\\ b,c  --work-mem=5MB -cx.y=1')
  const { settings, connectionString } = parseAddress(`postgres://host/db?options=${options}&lock_timeout=5&max=3`)
  expect(settings).toEqual({ search_path: 'a b,c', work_mem: '5MB', 'x.y': '1', lock_timeout: '5' })
  expect(connectionString).toBe('postgres://host/db?max=3')
  expect(() => parseAddress('postgres://host/db?options=-e')).toThrow('options')
})
