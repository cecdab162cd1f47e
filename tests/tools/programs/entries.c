/* Static functions in all ways that one can be called, or named: entries of those called know_... follow from their calls,
   those of own_... don't. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sum;

static int know_plain(int a) { return a + 1; }
static int know_twice(int a) { return a ^ 3; }
static int know_branch(int a) { if (a & 1) return a * 3; return a / 2; }
static int know_loop(int a) { int n = 0; while (a > 0) a -= 3, n++; return n; }
static int know_inner(int a) { return know_plain(a) + know_twice(know_twice(a)); }
static int know_condition(int a) { return a > 4; }
static int know_right(int a) { return a % 3 == 0; }
static int know_step(int a) { return a + 2; }
static int know_arm(int a) { return a - 1; }
static int know_case(int a) { switch (a) { case 1: return 5; case 2: sum++; /* fallthrough */ default: return 6; } }
static int know_initial(int a) { return a; }
static int know_statement(int a) { return a + 7; }
static int know_dead(int a) { return a; }
static int know_first(int a) { return a + 1; }
static int (own_parentheses)(int a) { return a; }
static int know_old(a) int a; { return a; }
static int know_later(int);
static int know_argument(int a) { return a & 6; }
static void know_nothing(void) {}

static int own_taken(int a) { return a + 1; }
static int own_table(int a) { return a + 2; }
static int (*const table[])(int) = { own_table };
static int own_pointer(int a) { return a; }
static int own_size(int a) { return a; }
static int own_constant(int a) { return a + 1; }
static int own_generic(int a) { return a; }
static int own_elvis(int a) { return a & 1; }
static int own_decided(int a) { return a; }
static int own_behind(int a) { return a; }
static int own_beside(int a) { return a; }
static int own_recursive(int a) { return a > 0 ? own_recursive(a - 1) + 1 : 0; }
static int own_pong(int a);
static int own_ping(int a) { return a > 0 ? own_pong(a - 1) : 1; }
static int own_pong(int a) { return a > 0 ? own_ping(a - 1) : 2; }
static void own_cleanup(int *a) { sum += *a; }
__attribute__((constructor)) static void own_constructor(void) { sum = 1; }
static int own_shadowed(int a) { return a + 1; }
static int own_untouched(int a) { return a + 4; }
static int own_array(int a) { return a + 4; }
static int own_type(int a) { return a; }
static int own_in_expression(int a) { return a; }
static int own_parameter(int a) { return a; }
int given_parameter(int own_parameter(int), int a) { return own_parameter(a); }
static int own_dimension(int a) { return a; }
int dimensions(int n, int a[n * own_dimension(n)]) { return a != 0; }
static int know_digraph(int a) { return a; }
int digraphs(int a) <% return 2 * know_digraph(a); %>
__attribute__((used)) static int own_used(int a) { return a; }
int given(int) __attribute__((alias("own_alias")));
__attribute__((used)) static int own_alias(int a) { return a + 9; }
static void know_leaving(int a) { if (a == 3) exit(sum & 63); }
int leave(int a) { know_leaving(a); return a; }

__attribute__((no_instrument_function)) static int untouched(int a) { return own_untouched(a); }

static int known(int n)
{
    int i, initial = know_initial(n);
    sum += know_plain(n) + know_twice(know_twice(n));
    for (i = 0; i < n; i = know_step(i)) {
        if (know_condition(i) && know_right(i)) sum += know_branch(i);
        else sum += i & 1 ? know_arm(i) : know_loop(i);
        sum += know_inner(i) + know_case(i % 4);
        know_nothing();
        switch (i) { sum += know_dead(1); case 2: sum++; }
    }
    while (sum++ < 0) know_nothing();
    sum += ({ int x = know_statement(n); x + know_statement(x); });
    sum += (own_parentheses)(1) + know_old(2) + know_argument(({ know_argument(1); })) + know_later(3);
    return initial;
}

static int calls(int n)
{
    int (*pointer)(int) = own_taken, (*own_shadowed)(int) = own_taken, size = (int)sizeof(own_size(1)) + own_size(2);
    int array[own_array(n)], *a = &array[0];
    __typeof__(own_type(1)) type = own_type(2);
    __attribute__((cleanup(own_cleanup))) int cleaned = 3;
    sum += size + type + known(n) + (pointer)(n) + own_shadowed(n) + table[0](n);
    sum += (*own_pointer)(2) + own_pointer(3);
    sum += __builtin_constant_p(own_constant(sum)) ? own_constant(1) : own_constant(2);
    sum += _Generic(own_generic(1), int: own_generic(2), default: 0);
    sum += own_elvis(n) ?: n;
    sum += 1 ? own_decided(1) : own_decided(2);
    sum += own_recursive(n) + own_ping(n) + untouched(n) + given(n);
    memset(a, 0, sizeof(int));
    return own_used(1) + cleaned;
}

static int know_later(int a) { return a * 5; }

/* What may have been left before. */
static void order(int n)
{
    int i;
    for (i = 0; i < 5; i++) {
        know_first(i);
        leave(n == 2 ? i : 0);
        own_behind(i);
        sum += leave(n == 3 ? i : 0) + own_beside(i);
        sum += ({ int x = leave(0); x; }) + ({ int y = own_in_expression(1); y; });
    }
}

/* What is used where no call is seen. */
void unseen(int n)
{
    sum += own_parameter(n) + own_dimension(n) + know_digraph(n);
    sum += given_parameter(own_taken, n) + digraphs(n);
    sum += dimensions(n + 1, &n);
}

int main(int count, char **arguments)
{
    int i, n = count > 1 ? atoi(arguments[1]) : 1;
    own_shadowed(1);
    for (i = 0; i < 7; i++) sum += calls(i);
    order(n);
    unseen(n);
    printf("%d\n", sum);
    return 0;
}
