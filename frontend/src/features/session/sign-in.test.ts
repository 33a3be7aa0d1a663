import { describe, expect, it } from 'vitest'
import { returnPath, takeToken, tokenIn } from './sign-in'

const TOKEN = 'nwl_abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE'

describe('the token of a sign-in link', () => {
  it('is found in a fragment, a whole link and alone', () => {
    expect(tokenIn(`#token=${TOKEN}`)).toBe(TOKEN)
    expect(tokenIn(` http://127.0.0.1:8080/sign-in#token=${TOKEN} `)).toBe(TOKEN)
    expect(tokenIn(TOKEN)).toBe(TOKEN)
    expect(tokenIn('#token=nwt_wrongkind')).toBeNull()
    expect(tokenIn('')).toBeNull()
  })

  it('is gone from the address once taken', () => {
    window.history.replaceState(null, '', `/sign-in?return=%2Fhosts#token=${TOKEN}`)
    expect(takeToken()).toBe(TOKEN)
    expect(window.location.href).toBe('http://dashboard.test/sign-in?return=%2Fhosts')
    expect(takeToken()).toBeNull()
  })
})

it('returns only to a path of this page', () => {
  expect(returnPath('/hosts?q=a')).toBe('/hosts?q=a')
  for (const wanted of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/sign-in',
    undefined,
    3,
  ]) {
    expect(returnPath(wanted)).toBe('/')
  }
})
