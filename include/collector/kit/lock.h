/* SPDX-License-Identifier: MIT */
/* collector/kit/lock.h - what a lock guards, said so that clang checks it.
 *
 * The lock is a pthread_mutex_t or a pthread_rwlock_t, and the functions are those of POSIX; here
 * they only say what they do to it.  clang's thread safety analysis then follows each function
 * (tests/lint/locks runs it): whoever takes a lock gives it back on every path, guarded fields are
 * used with a lock, and whoever calls a function that needs a lock holds that lock.  Other
 * compilers see nothing of it.
 *
 *   struct queue {
 *           pthread_mutex_t lock;
 *           unsigned len MC_GUARDED_BY(lock);
 *   };
 *   static void push(struct queue *queue) MC_REQUIRES(queue->lock);
 *
 * C has no way to name a field of the same struct in an attribute before clang 20, so of fields it
 * is checked that some lock is held, and 'lock' shows the reader which.
 */
#pragma once

#include <pthread.h>

#ifdef __clang__
#define MC_LOCK_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define MC_LOCK_ATTRIBUTE(attribute)
#endif

/* Of a field: what it holds, or what it points to, is used with the lock. */
#define MC_GUARDED_BY(lock) MC_LOCK_ATTRIBUTE(guarded_var)
#define MC_PT_GUARDED_BY(lock) MC_LOCK_ATTRIBUTE(pt_guarded_var)

/* Of a function: the caller holds the lock, and still does afterwards; the
 * function may give it up meanwhile if its comment says so. */
#define MC_REQUIRES(...) MC_LOCK_ATTRIBUTE(requires_capability(__VA_ARGS__))

/* It takes the lock, or gives it back, for its caller. */
#define MC_ACQUIRE(...) MC_LOCK_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define MC_RELEASE(...) MC_LOCK_ATTRIBUTE(release_capability(__VA_ARGS__))

/* The caller does not hold the lock. */
#define MC_EXCLUDES(...) MC_LOCK_ATTRIBUTE(locks_excluded(__VA_ARGS__))

/* It is not looked into: no other thread knows the object, as before start()
 * and after the threads have ended, or a comment says why no lock is needed. */
#define MC_NO_LOCK MC_LOCK_ATTRIBUTE(no_thread_safety_analysis)

#ifdef __clang__
int pthread_mutex_lock(pthread_mutex_t *mutex) MC_ACQUIRE(*mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex) MC_RELEASE(*mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex)
	__attribute__((try_acquire_capability(0, *mutex)));
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) MC_REQUIRES(*mutex);
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			   const struct timespec *until) MC_REQUIRES(*mutex);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) MC_ACQUIRE(*lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) __attribute__((acquire_shared_capability(*lock)));
int pthread_rwlock_unlock(pthread_rwlock_t *lock)
	__attribute__((release_generic_capability(*lock)));
#endif
