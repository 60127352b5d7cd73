import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskData, maskFor } from './mask.ts';

const mask = maskFor({});

describe('what has the form of a key is hidden, and the words around it stay', () => {
  test.each([
    ['sk-', 16],
    ['sk-ant-api03-', 20],
    ['ghp_', 36],
    ['ghs_', 20],
    ['github_pat_', 22],
    ['glpat-', 20],
    ['xoxb-', 10],
    ['AKIA', 16],
    ['ASIA', 16],
    ['AIza', 35],
    ['npm_', 36],
  ])('%s and %i more', (prefix, length) => {
    expect(mask(`see ${prefix}${'A1'.repeat(length).slice(0, length)}, then go on`)).toBe('see ***, then go on');
  });

  test('a private key, over all its lines', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc+/=\n-----END RSA PRIVATE KEY-----';
    expect(mask(`a\n${key}\nb`)).toBe('a\n***\nb');
    expect(mask(JSON.stringify({ key }))).toBe('{"key":"***"}');
  });

  test('each of several', () => {
    const key = `sk-${'a'.repeat(16)}`;
    expect(mask(`${key} ${key}\n${key}`)).toBe('*** ***\n***');
  });
});

describe('the value of what is named like a secret is hidden, and its name stays', () => {
  test.each([
    ['api_key=abcd1234', 'api_key=***'],
    ['API-KEY: "abcd1234"', 'API-KEY: "***"'],
    ["export MY_SECRET_2='abcd1234'", "export MY_SECRET_2='***'"],
    ['{"accessToken":"abcd1234","a":1}', '{"accessToken":"***","a":1}'],
    ['password : abcd1234; more', 'password : ***; more'],
    ['db_passwd=abcd1234 more', 'db_passwd=*** more'],
    ['Authorization: Bearer abcd1234', 'Authorization: Bearer ***'],
  ])('%s', (text, hidden) => {
    expect(mask(text)).toBe(hidden);
  });
});

describe('what only resembles a secret stays readable', () => {
  test.each([
    'sk-short and task-abcdefghijklmnopqrstuvwxyz',
    'AKIA and AKIA1234',
    'password = undefined',
    '"input_tokens": 1234567890',
    'token=short1',
    'the secret of success: patience',
    'a bearer of news',
    'api_key is missing',
    '',
  ])('%s', (text) => {
    expect(mask(text)).toBe(text);
  });
});

describe('the values of secret variables', () => {
  test('are hidden wherever they turn up, those of others are not', () => {
    const hide = maskFor({ MY_TOKEN: 'correct horse', db_password: 'battery staple', HOME: '/home/user' });
    expect(hide('correct horsebattery staple/home/user')).toBe('******/home/user');
  });

  test('are matched literally', () => {
    const hide = maskFor({ KEY: 'a.b*c(d)[e]|$^{1}?+' });
    expect(hide('<a.b*c(d)[e]|$^{1}?+>')).toBe('<***>');
    expect(hide('aXbbc')).toBe('aXbbc');
  });

  test('are found in JSON, too', () => {
    const secret = 'line "one"\nline\\two';
    expect(maskFor({ KEY: secret })(JSON.stringify({ a: secret }))).toBe('{"a":"***"}');
  });

  test('are hidden as a whole if one contains another', () => {
    const hide = maskFor({ A_KEY: 'abcdefgh', B_KEY: 'abcdefgh-and-more' });
    expect(hide('abcdefgh-and-more abcdefgh')).toBe('*** ***');
  });

  test('are left alone when they are too short to be one, empty or absent', () => {
    const hide = maskFor({ A_KEY: 'short', B_KEY: '', C_KEY: undefined });
    expect(hide('short text')).toBe('short text');
  });

  test('are never in what is left, whatever stands around them', () => {
    const secret = fc.string({ minLength: 8, unit: 'binary' }).filter((text) => !text.includes('*'));
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        expect(maskFor({ SECRET: value })(before + value + after)).not.toContain(value);
      }),
    );
  });
});

describe('data', () => {
  test('has its strings masked at any depth, and nothing else', () => {
    const hide = (text: string): string => text.replaceAll('x', '***');
    expect(maskData({ x: 'x', list: ['ax', 1, null, { deep: 'bx' }], no: true }, hide)).toEqual({
      x: '***',
      list: ['a***', 1, null, { deep: 'b***' }],
      no: true,
    });
  });

  test('without a secret stays what it is, whatever it contains', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        expect(JSON.stringify(maskData(data, (text) => text))).toBe(JSON.stringify(data));
      }),
    );
  });

  test('is not modified in place', () => {
    const data = Object.freeze({ a: Object.freeze(['secret']) });
    expect(maskData(data, () => '***')).toEqual({ a: ['***'] });
    expect(data.a).toEqual(['secret']);
  });
});
