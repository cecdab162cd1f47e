/* By which sanitiser a test is watched, whichever compiler it is: 1 or 0 each. */
#ifndef SANITIZED_H
#define SANITIZED_H

#if defined __has_feature
#  if __has_feature(address_sanitizer)
#    define ADDRESS_SANITIZED 1
#  endif
#  if __has_feature(thread_sanitizer)
#    define THREAD_SANITIZED 1
#  endif
#endif
#if defined __SANITIZE_ADDRESS__ && !defined ADDRESS_SANITIZED
#  define ADDRESS_SANITIZED 1
#endif
#if defined __SANITIZE_THREAD__ && !defined THREAD_SANITIZED
#  define THREAD_SANITIZED 1
#endif
#ifndef ADDRESS_SANITIZED
#  define ADDRESS_SANITIZED 0
#endif
#ifndef THREAD_SANITIZED
#  define THREAD_SANITIZED 0
#endif

#endif
