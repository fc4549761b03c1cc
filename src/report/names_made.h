/* names_made.h - what the names say that compilers make up: csc (Roslyn and the one before it), mcs, vbc, fsc.
 *
 *   csc  <Main>b__0_1        the 2nd lambda of the type's 1st method; in <>c, <>c__DisplayClass0_0, or the type itself
 *        <Main>b__1          likewise, in a <>c__DisplayClass0_1; before Roslyn, the 2nd one of the type
 *        <Main>g__Twice|0_0  a local function
 *        <Main>d__0          the state machine of an iterator or async method: a type; also <<Main>b__0_0>d
 *        <>n__0              calls a method of the base type, for a lambda or state machine
 *        <>m__Finally1       a finally block of an iterator
 *        <>f__AnonymousType0, <File>F…__Name (a type of one file), <Clone>$, <Main>$ (top-level statements)
 *        <Main>              calls an async Main
 *   mcs  <Main>m__0, <>m__0 in <Main>c__AnonStorey0; types <Main>c__async0, <Main>c__Iterator0, <>__AnonType0;
 *        <Main>__BaseCallProxy0, <>__Finally0
 *   vbc  _Lambda$__1-0 in _Closure$__ or _Closure$__1-0; types VB$StateMachine_1_Main, VB$AnonymousType_0;
 *        $VB$ClosureStub_Name_MyBase
 *   fsc  types main@12-1: a closure of main, made in line 12
 *
 * All texts borrow from the name. */
#ifndef ILINJECT_REPORT_NAMES_MADE_H
#define ILINJECT_REPORT_NAMES_MADE_H

#include "base/bytes.h"

#define MADE_NO_NUMBER UINT32_MAX

typedef enum made_method_kind {
    MADE_PLAIN, /* as it was written */
    MADE_LAMBDA,
    MADE_LOCAL_FUNCTION,
    MADE_FINALLY,
    MADE_BASE_CALL,
    MADE_CLONE,
    MADE_TOP_LEVEL, /* `<Main>$` */
    MADE_ENTRY,     /* `<Main>` */
} made_method_kind;

typedef struct made_method {
    made_method_kind kind;
    bytes owner;    /* name of the method that it was written in; may be made up, too; empty: not known */
    bytes name;     /* of a local function, of the method of the base type */
    uint32_t group; /* number of that method in its type, or MADE_NO_NUMBER */
    uint32_t number;
} made_method;

made_method made_method_of(bytes name);

typedef enum made_type_kind {
    MADE_TYPE_PLAIN,
    MADE_CLOSURE,
    MADE_MACHINE,
    MADE_ANONYMOUS,  /* its generic parameters are named after its properties by csc and mcs */
    MADE_FILE_LOCAL, /* `name` is what was written */
    MADE_FUNCTION,   /* an F# closure */
} made_type_kind;

typedef struct made_type {
    made_type_kind kind;
    bytes owner; /* name of the method that it was made for; may be made up, too; empty: not known */
    bytes name;
    uint32_t group;   /* as of a method */
    const char *noun; /* of a machine, what it is of, where the name tells: "iterator" or "async"; else NULL */
} made_type;

made_type made_type_of(bytes name);

/* The name in a generic parameter of an anonymous type, `<First>j__TPar`; the whole text for another one. */
bytes made_property_of(bytes generic);

#endif
