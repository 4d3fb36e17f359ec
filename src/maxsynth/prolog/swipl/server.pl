/** The SWI-Prolog side of `Swipl`: loads one BK, which nobody trusts, and answers batches of queries about it.

The idea: the BK never runs as written. Its clauses are read here, one by one, and stored in the module `bk`
with every goal in their bodies checked against a list of harmless predicates. A goal that is only known at
run time (`call(G)`, `maplist(P, L)`, an asserted body) is replaced by `maxsynth:run(G)`, which makes the same
check when it gets there. So there is no way from a term to a predicate that goes round the list, however the
term was made, and no code of SWI-Prolog that would act on a file (directives, hooks, term expansion) sees it.

Requests are Prolog terms, one to a line; a reply is lines of tokens, described at `emit/2`.
*/

:- module(maxsynth, [serve/0]).

:- dynamic
    own/2,                      % name and arity of a predicate of the BK
    first_line/3,               % where the BK first mentions it
    clause_line/2,              % clause reference and its line
    declared/2,                 % dynamic predicates
    tabled/1,
    used/1,                     % modules of the libraries that the BK names
    kind/3,                     % what resolve/3 found out, by name and arity
    pending/3,                  % line, head, body: rules that wait for the whole file to be known
    waiting/2,                  % predicates with such rules
    quotes/1,                   % what "..." reads as
    steps/1,
    noted/2.                    % the last exception seen by the hook, and its line

/* --- requests ------------------------------------------------------------------------------------------ */

serve :-
    current_input(In),
    current_output(Out),
    set_stream(In, encoding(utf8)),
    set_stream(Out, encoding(utf8)),
    set_stream(Out, newline(posix)),
    set_stream(Out, buffer(full)),
    prompt(_, ''),
    seal_streams,
    quietly(set_prolog_flag(gc_thread, false)),     % no thread, so that none need be permitted
    quietly(set_prolog_flag(float_undefined, error)),
    loop(In, Out).

quietly(Goal) :-
    catch(Goal, _, true).

% The protocol runs on streams that only loop/2 holds. What BK can name is empty (input) or nowhere (output).
seal_streams :-
    open_null_stream(Null),
    open_string("", Empty),
    set_stream(Empty, alias(user_input)),
    set_stream(Null, alias(user_output)),
    set_stream(Null, alias(user_error)),
    set_input(Empty),
    set_output(Null).

loop(In, Out) :-
    repeat,
    read_term(In, Request, [module(maxsynth), double_quotes(string), syntax_errors(error)]),
    (   Request == end_of_file
    ->  !
    ;   catch(answer(Request, Out, End), Problem, report(Problem, Out, End)),
        format(Out, " ~w~n", [End]),
        flush_output(Out),
        fail
    ).

answer(load(Text, Steps, Stack), _, '.') :-
    set_prolog_flag(stack_limit, Stack),
    quietly(set_prolog_flag(table_space, Stack)),
    assertz(steps(Steps)),
    load(Text).
answer(defines(Name, Arity), Out, '.') :-
    resolve(Name, Arity, Kind),
    (   memberchk(Kind, [own, control, special, safe])
    ->  writeq(Out, true)
    ;   writeq(Out, false)
    ),
    nl(Out).
answer(solve(Name, Arity, Inputs, Rows), Out, '.') :-
    functor(Head, Name, Arity),
    (   resolve(Name, Arity, unknown)
    ->  undefined(Name, Arity)
    ;   goal(Head, Goal)
    ),
    split_arguments(Head, Inputs, Row, Places, Outputs),
    steps(Steps),
    character_count(Out, Before),
    most_characters(Most),
    End is Before+Most,
    statistics(inferences, Start),
    rows(Rows, 0, End, call(Head, Goal, Row, Places, Outputs, Steps), Out),
    statistics(inferences, Now),
    Spent is Now-Start,
    format(Out, " s ~d~n", [Spent]).

% A reply ends with the row that takes it beyond this many characters; the caller asks for the others again.
most_characters(4194304).

% Row is a pattern for the rows of the request; Outputs are the other arguments, at the positions Places.
split_arguments(Head, Inputs, Row, Places, Outputs) :-
    findall(I-_, member(I, Inputs), Pairs),
    pairs_values(Pairs, Variables),
    Row =.. [r|Variables],
    functor(Head, _, Arity),
    numbers(1, Arity, All),
    bind_inputs(Pairs, Head),
    exclude_all(All, Inputs, Places),
    arguments_at(Places, Head, Outputs).

bind_inputs([], _).
bind_inputs([I-V|Pairs], Head) :-
    arg(I, Head, V),
    bind_inputs(Pairs, Head).

numbers(From, To, []) :-
    From > To, !.
numbers(From, To, [From|Rest]) :-
    Next is From+1,
    numbers(Next, To, Rest).

exclude_all([], _, []).
exclude_all([I|Is], Inputs, Rest) :-
    (   memberchk(I, Inputs) -> Rest = More ; Rest = [I|More] ),
    exclude_all(Is, Inputs, More).

arguments_at([], _, []).
arguments_at([I|Is], Head, [A|As]) :-
    arg(I, Head, A),
    arguments_at(Is, Head, As).

rows([], _, _, _, _).
rows([Row|Rows], I, End, Call, Out) :-
    \+ \+ row(Row, I, Call, Out),
    (   character_count(Out, Written),
        Written > End
    ->  true
    ;   J is I+1,
        rows(Rows, J, End, Call, Out)
    ).

row(Row, I, call(Head, Goal, Row, Places, Outputs, Steps), Out) :-
    catch(bounded(Outputs, Goal, Steps, Answers, Result), Error, true),
    (   nonvar(Error)
    ->  locate(Error, Head, Goal, Steps, Line),
        throw(problem(I, Line, Error))
    ;   Result == inference_limit_exceeded
    ->  predicate_line(Head, Line),
        throw(problem(I, Line, steps))
    ;   check_answers(Answers, I, Head, Places),
        emitted(Answers, Out, Steps, Result1),
        (   integer(Result1)
        ->  format(Out, " r ~d~n", [Result1])
        ;   predicate_line(Head, Line),
            throw(problem(I, Line, steps))
        )
    ).

% What parts of terms share is written once for each, and so may be very much: this is counted too.
emitted(Answers, Out, Steps, Count) :-
    call_with_inference_limit(emit_answers(Answers, Out, 0, Count0), Steps, Result),
    !,
    (   Result == inference_limit_exceeded -> Count = Result ; Count = Count0 ).

bounded(Template, Goal, Steps, Answers, Result) :-
    call_with_inference_limit(findall(Template, bk:Goal, Answers), Steps, Result0),
    !,
    Result = Result0.

check_answers(Answers, _, _, _) :-
    ground(Answers),
    acyclic_term(Answers), !.
check_answers(Answers, I, Head, Places) :-
    predicate_line(Head, Line),
    member(Answer, Answers),
    pair_up(Places, Answer, Place, Value),
    (   \+ acyclic_term(Value) -> throw(problem(I, Line, cyclic(Place)))
    ;   \+ ground(Value) -> throw(problem(I, Line, unbound(Place)))
    ).

pair_up([P|_], [V|_], P, V).
pair_up([_|Ps], [_|Vs], P, V) :-
    pair_up(Ps, Vs, P, V).

/* --- replies --------------------------------------------------------------------------------------------

A reply is a sequence of lines in postfix order. A line that does not begin with a space is a constant as
writeq/1 writes it. The others act on the constants before them:

    " c N name"     the last N terms become a compound          " l N"    ... a list
    " t N"          the last N terms and a tail make a list     " r N"    end of a row that has N answers
    " x HEX"        an integer beyond 64 bits                   " f X"    inf, -inf or nan
    " s N"          the inferences that all rows took
    " e ROW LINE KIND", then the text as a string: an error     " ." / " !"   end, without / with an error
*/

emit_answers([], _, N, N).
emit_answers([Answer|Answers], Out, N0, N) :-
    emit_all(Answer, Out),
    N1 is N0+1,
    emit_answers(Answers, Out, N1, N).

emit_all([], _).
emit_all([T|Ts], Out) :-
    emit(T, Out),
    emit_all(Ts, Out).

emit(T, Out) :-
    atom(T), !,
    writeq(Out, T),
    nl(Out).
emit(T, Out) :-
    integer(T), !,
    (   -9223372036854775808 =< T, T =< 9223372036854775807
    ->  write(Out, T),
        nl(Out)
    ;   format(Out, " x ~16r~n", [T])
    ).
emit(T, Out) :-
    string(T), !,
    writeq(Out, T),
    nl(Out).
emit(T, Out) :-
    float(T), !,
    emit_float(T, Out).
emit([T|Ts], Out) :- !,
    emit_list(Ts, T, 1, Out).
emit([], Out) :- !,             % not an atom since version 7
    write(Out, []),
    nl(Out).
emit(T, Out) :-
    compound(T),
    \+ is_dict(T), !,
    compound_name_arity(T, Name, Arity),
    emit_arguments(1, Arity, T, Out),
    format(Out, " c ~d ~q~n", [Arity, Name]).
emit(T, _) :-
    throw(error(type_error(plain_term, T), _)).

emit_float(T, Out) :-
    (   abs(T) =< 1.7976931348623157e308
    ->  writeq(Out, T),
        nl(Out)
    ;   T =\= T
    ->  format(Out, " f nan~n", [])
    ;   T > 0
    ->  format(Out, " f inf~n", [])
    ;   format(Out, " f -inf~n", [])
    ).

emit_list(Rest, T, N, Out) :-
    emit(T, Out),
    (   Rest = [U|Us]
    ->  M is N+1,
        emit_list(Us, U, M, Out)
    ;   Rest == []
    ->  format(Out, " l ~d~n", [N])
    ;   emit(Rest, Out),
        format(Out, " t ~d~n", [N])
    ).

emit_arguments(I, N, _, _) :-
    I > N, !.
emit_arguments(I, N, T, Out) :-
    arg(I, T, A),
    emit(A, Out),
    J is I+1,
    emit_arguments(J, N, T, Out).

/* --- errors -------------------------------------------------------------------------------------------- */

report(Problem, Out, '!') :-
    (   Problem = problem(Row, Line, Error)
    ->  true
    ;   Row = 0, Line = 0, Error = Problem
    ),
    describe(Error, Kind, Text),
    format(Out, " e ~d ~d ~w~n", [Row, Line, Kind]),
    writeq(Out, Text),
    nl(Out).

% Written out here, not by SWI-Prolog's own messages: those run format/2 on what the BK may have thrown.
describe(E, error, Text) :-
    var(E), !,
    Text = "unknown error".
describe(load(Text), load, Text) :- !.
describe(syntax(Text), syntax, Text) :- !.
describe(steps, steps, "") :- !.
describe(unbound(Place), unbound, Text) :- !,
    text(Place, Text).
describe(cyclic(Place), cyclic, Text) :- !,
    text(Place, Text).
describe(error(resource_error(What), _), memory, Text) :- !,
    text(What, Text).
describe(error(Formal, Context), error, Text) :-
    nonvar(Formal),
    formal(Formal, Parts), !,
    culprit(Context, Parts, All),
    join(All, Text).
describe(error(Formal, _), error, Text) :- !,
    text(Formal, Text).
describe(E, error, Text) :-
    join(["uncaught exception ", E], Text).

formal(instantiation_error, ["an argument is not bound to a value"]).
formal(uninstantiation_error(X), ["expected an unbound variable, found ", X]).
formal(type_error(Type, X), ["expected ", Type, ", found ", X]).
formal(domain_error(Domain, X), ["expected ", Domain, ", found ", X]).
formal(existence_error(procedure, PI), ["unknown predicate ", PI]).
formal(existence_error(Kind, X), ["no such ", Kind, ": ", X]).
formal(permission_error(refused, predicate, PI), [PI, " is out of reach for background knowledge"]).
formal(permission_error(Action, Type, X), ["no permission to ", Action, " ", Type, " ", X]).
formal(evaluation_error(What), ["arithmetic: ", What]).
formal(representation_error(What), ["cannot represent ", What]).
formal(syntax_error(What), ["syntax error: ", What]).

% Which built-in complained, when that says more than the message.
culprit(Context, Parts, All) :-
    nonvar(Context),
    Context = context(Where, _),
    nonvar(Where),
    (   Where = _:PI -> true ; PI = Where ),
    nonvar(PI),
    PI = Name/_,
    atom(Name),
    Parts \= ["unknown predicate "|_], !,
    append(Parts, [" (in ", PI, ")"], All).
culprit(_, Parts, Parts).

join(Parts, Text) :-
    texts(Parts, Texts),
    atomic_list_concat(Texts, Atom),
    atom_string(Atom, Text).

texts([], []).
texts([P|Ps], [T|Ts]) :-
    (   string(P) -> T = P ; text(P, T) ),
    texts(Ps, Ts).

text(Term0, Text) :-
    copy_term_nat(Term0, Term),
    term_variables(Term, Variables),
    maplist(=('$VAR'('_')), Variables),
    format(string(Text), "~W", [Term, [quoted(true), max_depth(12), numbervars(true)]]).

predicate_line(Head, Line) :-
    functor(Head, Name, Arity),
    (   first_line(Name, Arity, Line0) -> Line = Line0 ; Line = 0 ).

% Last-call optimisation throws away the frames that would tell the clause an error arose in. So the failed
% call is made once more without it, and a hook notes the innermost clause of the BK on the stack.
locate(error(resource_error(_), _), Head, _, _, Line) :- !,
    predicate_line(Head, Line).
locate(Error, Head, Goal, Steps, Line) :-
    retractall(noted(_, _)),
    setup_call_cleanup(
        start_noting(Hook),
        catch(bounded(x, Goal, Steps, _, _), _, true),
        stop_noting(Hook)),
    (   noted(Seen, Line0),
        same_error(Error, Seen)
    ->  Line = Line0
    ;   predicate_line(Head, Line)
    ).

start_noting(Hooks) :-
    set_prolog_flag(last_call_optimisation, false),
    assertz((user:prolog_exception_hook(E, _, Frame, _) :- maxsynth:note(E, Frame), fail), Old),
    assertz((prolog:prolog_exception_hook(E1, _, Frame1, _, _) :- maxsynth:note(E1, Frame1), fail), New),
    Hooks = [Old, New].

stop_noting([Old, New]) :-
    erase(Old),
    erase(New),
    set_prolog_flag(last_call_optimisation, true).

note(Error, Frame) :-
    (   noted(Seen, _), same_error(Error, Seen)     % passed on by a catch/3: the first place counts
    ->  true
    ;   frame_line(Frame, Line)
    ->  retractall(noted(_, _)),
        assertz(noted(Error, Line))
    ;   true
    ).

frame_line(Frame, Line) :-
    prolog_frame_attribute(Frame, clause, Clause),
    clause_line(Clause, Line), !.
frame_line(Frame, Line) :-
    prolog_frame_attribute(Frame, parent, Parent),
    frame_line(Parent, Line).

same_error(error(A, _), error(B, _)) :- !,
    A =@= B.
same_error(A, B) :-
    A =@= B.

/* --- loading ------------------------------------------------------------------------------------------- */

load(Text) :-
    set_module(bk:base(system)),
    set_module(bk:class(user)),
    retractall(quotes(_)),
    assertz(quotes(string)),
    setup_call_cleanup(open_string(Text, In), read_clauses(In), close(In)),
    forall(retract(pending(Line, Head, Body)), at_line(Line, store_rule(Line, Head, Body))),
    forall(tabled(Spec), @(table(Spec), bk)),
    forall(( own(Name, Arity), \+ declared(Name, Arity) ), make_static(Name, Arity)).

% Clauses are added with assertz/1, which makes a predicate dynamic; the BK should see it as consulted. One
% without clauses stays dynamic: a static one would let the system's predicate of that name show through.
make_static(Name, Arity) :-
    functor(Head, Name, Arity),
    (   predicate_property(bk:Head, number_of_clauses(N)),
        N > 0
    ->  quietly(@(compile_predicates([Name/Arity]), bk))
    ;   true
    ).

read_clauses(In) :-
    repeat,
    quotes(Quotes),
    catch(read_term(In, Term, [module(bk), double_quotes(Quotes), syntax_errors(error), term_position(Position)]),
          Error, bad_syntax(Error)),
    (   Term == end_of_file
    ->  !
    ;   stream_position_data(line_count, Position, Line),
        at_line(Line, add_clause(Term, Line)),
        fail
    ).

bad_syntax(error(syntax_error(What), Context)) :- !,
    (   Context = stream(_, Line, Column, _) -> true ; Line = 0, Column = 0 ),
    functor(What, Name, _),     % without the arguments, which repeat the text
    join([Column, ":", Name], Message),
    throw(problem(0, Line, syntax(Message))).
bad_syntax(Error) :-
    throw(Error).

at_line(Line, Goal) :-
    catch(Goal, Error, true),
    (   var(Error) -> true
    ;   Error = problem(_, _, _) -> throw(Error)
    ;   throw(problem(0, Line, Error))
    ).

add_clause(Term, _) :-
    var(Term), !,
    throw(error(instantiation_error, _)).
add_clause((:- Directive), Line) :- !,
    directive(Directive, Line).
add_clause((?- Directive), _) :- !,
    unwelcome(Directive).
add_clause(Term, Line) :-
    plain_clause(Term, Head, Body),
    functor(Head, Name, Arity),
    (   waiting(Name, Arity)
    ->  assertz(pending(Line, Head, Body))
    ;   Body == true
    ->  assertz(bk:(Head :- true)),
        register(Name, Arity, Line)
    ;   assertz(waiting(Name, Arity)),
        register(Name, Arity, Line),
        assertz(pending(Line, Head, Body))
    ).

register(Name, Arity, _) :-
    own(Name, Arity), !.
register(Name, Arity, Line) :-
    assertz(own(Name, Arity)),
    assertz(first_line(Name, Arity, Line)).

% Head and body of a clause of the BK, whatever form it is written in. Assertions come here too.
plain_clause(Term, _, _) :-
    var(Term), !,
    throw(error(instantiation_error, _)).
plain_clause(M:Term, Head, Body) :- !,
    local(M, Term),
    plain_clause(Term, Head, Body).
plain_clause((Head0 :- Body), Head, Body) :- !,
    plain_head(Head0, Head).
plain_clause((Head0 --> Body0), Head, Body) :- !,
    dcg_translate_rule((Head0 --> Body0), Clause),
    (   Clause = (Head1 :- Body) -> true ; Head1 = Clause, Body = true ),
    plain_head(Head1, Head).
plain_clause((_ => _), _, _) :- !,
    throw(load("rules with => are not supported")).
plain_clause(Head0, Head, true) :-
    plain_head(Head0, Head).

plain_head(Head, _) :-
    var(Head), !,
    throw(error(instantiation_error, _)).
plain_head(M:Head0, Head) :- !,
    local(M, Head0),
    plain_head(Head0, Head).
plain_head(Head, Head) :-
    callable(Head), !,
    functor(Head, Name, Arity),
    (   reserved(Name)
    ->  throw(error(permission_error(define, predicate, Name/Arity), _))
    ;   true
    ).
plain_head(Head, _) :-
    throw(error(type_error(callable, Head), _)).

% Names that SWI-Prolog looks for in a module: expansion while it loads, and its own bookkeeping.
reserved(term_expansion).
reserved(goal_expansion).
reserved(Name) :-
    sub_atom(Name, 0, _, _, $).

% Clauses go to the BK's own module and nowhere else. Most BK files were written for `user`.
local(M, _) :-
    ( M == bk ; M == user ), !.
local(M, Head) :-
    throw(error(permission_error(modify, module, M:Head), _)).

store_rule(Line, Head, Body0) :-
    (   Body0 == true
    ->  assertz(bk:(Head :- true))
    ;   goal(Body0, Body),
        assertz(bk:(Head :- Body), Clause),
        assertz(clause_line(Clause, Line))
    ).

/* --- directives ---------------------------------------------------------------------------------------- */

directive(D, _) :-
    var(D), !,
    throw(error(instantiation_error, _)).
directive((A, B), Line) :- !,
    directive(A, Line),
    directive(B, Line).
directive(dynamic(Specs), Line) :- !,
    declare(Specs, Line).
directive(table(Specs), Line) :- !,
    table_specs(Specs, Line).
directive(use_module(Library), _) :- !,
    use_library(Library).
directive(use_module(Library, _), _) :- !,
    use_library(Library).
directive(ensure_loaded(Library), _) :- !,
    use_library(Library).
directive(autoload(Library), _) :- !,
    use_library(Library).
directive(autoload(Library, _), _) :- !,
    use_library(Library).
directive(op(Priority, Type, Names), _) :- !,
    operator(Priority, Type, Names).
directive(set_prolog_flag(double_quotes, Value), _) :-
    memberchk(Value, [codes, chars, atom, string]), !,
    retractall(quotes(_)),
    assertz(quotes(Value)).
directive(D, _) :-
    ignored(D), !.
directive(D, _) :-
    unwelcome(D).

% These change nothing here: they speak of warnings, of several files, or of speed.
ignored(style_check(_)).
ignored(discontiguous(_)).
ignored(multifile(_)).
ignored(meta_predicate(_)).
ignored(module(_, _)).
ignored(encoding(_)).
ignored(license(_)).
ignored(set_prolog_flag(Flag, _)) :-
    memberchk(Flag, [optimise, verbose, verbose_load, verbose_autoload, stack_limit, generate_debug_info]).

unwelcome(Directive) :-
    join(["the directive ", Directive, " is not among those that background knowledge may use"], Text),
    throw(load(Text)).

declare(Specs, Line) :-
    indicators(Specs, Indicators),
    forall(member(Name/Arity, Indicators), declare(Name, Arity, Line)).

declare(Name, Arity, Line) :-
    functor(Head, Name, Arity),
    plain_head(Head, _),
    dynamic(bk:Name/Arity),
    register(Name, Arity, Line),
    (   declared(Name, Arity) -> true ; assertz(declared(Name, Arity)) ).

indicators(Specs, _) :-
    var(Specs), !,
    throw(error(instantiation_error, _)).
indicators([], []) :- !.
indicators([S|Ss], All) :- !,
    indicators(S, A),
    indicators(Ss, B),
    append(A, B, All).
indicators((S, Ss), All) :- !,
    indicators([S, Ss], All).
indicators(M:Spec, All) :- !,
    local(M, Spec),
    indicators(Spec, All).
indicators(Name/Arity, [Name/Arity]) :-
    atom(Name),
    integer(Arity), !.
indicators(Name//Arity0, [Name/Arity]) :-
    atom(Name),
    integer(Arity0), !,
    Arity is Arity0+2.
indicators(Spec, _) :-
    throw(error(type_error(predicate_indicator, Spec), _)).

% A mode may name a predicate that tabling would call (lattice/1, po/1): only the built-in ones are taken.
table_specs(Specs, _) :-
    var(Specs), !,
    throw(error(instantiation_error, _)).
table_specs((S, Ss), Line) :- !,
    table_specs(S, Line),
    table_specs(Ss, Line).
table_specs(Name/Arity, Line) :- !,
    indicators(Name/Arity, _),
    table_local(Name, Arity, Line),
    assertz(tabled(Name/Arity)).
table_specs(Head, Line) :-
    compound(Head),
    \+ Head = _:_,
    Head =.. [_|Modes],
    \+ ( member(Mode, Modes), \+ table_mode(Mode) ), !,
    functor(Head, Name, Arity),
    table_local(Name, Arity, Line),
    assertz(tabled(Head)).
table_specs(Head, _) :-
    unwelcome(table(Head)).

table_local(Name, Arity, Line) :-
    functor(Head, Name, Arity),
    plain_head(Head, _),
    dynamic(bk:Name/Arity),
    register(Name, Arity, Line).

table_mode(Mode) :-
    var(Mode), !.
table_mode(Mode) :-
    memberchk(Mode, [index, first, last, min, max, sum, -, +]).

use_library(library(Name)) :-
    ground(Name),
    safe_library(Name), !,
    (   bundled(Name) -> true
    ;   load_files(maxsynth:library(Name), [if(not_loaded), imports([]), silent(true)]),
        library_module(Name, Module),
        export_operators(Module),
        ( used(Module) -> true ; assertz(used(Module)) ),
        retractall(kind(_, _, _))
    ).
use_library(Library) :-
    join([Library, " cannot be loaded: background knowledge is one file and the libraries known to be harmless"],
         Text),
    throw(load(Text)).

% apply_macros only changes how goals are compiled, tabling is part of the system.
bundled(apply_macros).
bundled(tabling).

library_module(Name, Module) :-
    absolute_file_name(library(Name), File, [file_type(prolog), access(read), file_errors(fail)]),
    module_property(Module, file(File)), !.

export_operators(Module) :-
    (   module_property(Module, exported_operators(Operators))
    ->  forall(member(op(P, T, N), Operators), export_operator(P, T, N))
    ;   true
    ).

export_operator(P, T, N0) :-
    (   N0 = _:N -> true ; N = N0 ),
    op(P, T, bk:N).

operator(Priority, Type, Names) :-
    (   is_list(Names)
    ->  forall(member(Name, Names), operator(Priority, Type, Name))
    ;   Names = M:Name, atom(M)
    ->  local(M, op(Priority, Type, Name)),
        operator(Priority, Type, Name)
    ;   atom(Names)
    ->  op(Priority, Type, bk:Names)
    ;   throw(error(type_error(atom, Names), _))
    ).

/* --- goals ----------------------------------------------------------------------------------------------

goal(+Goal0, -Goal): Goal does what Goal0 does, or raises the reason why it may not. What is not known yet
becomes a run/1, run/2, ... that looks again.
*/

goal(G, maxsynth:run(G)) :-
    var(G), !.
goal((A0, B0), (A, B)) :- !,
    goal(A0, A),
    goal(B0, B).
goal((A0 ; B0), (A ; B)) :- !,
    goal(A0, A),
    goal(B0, B).
goal((A0 -> B0), (A -> B)) :- !,
    goal(A0, A),
    goal(B0, B).
goal((A0 *-> B0), (A *-> B)) :- !,
    goal(A0, A),
    goal(B0, B).
goal(\+ A0, \+ A) :- !,
    goal(A0, A).
goal(M:G0, G) :- !,
    qualified(M, G0, G).
goal(G0, G) :-
    callable(G0), !,
    functor(G0, Name, Arity),
    resolve(Name, Arity, Kind),
    resolved(Kind, Name, Arity, G0, G).
goal(G, _) :-
    throw(error(type_error(callable, G), _)).

resolved(own, _, _, G, G).
resolved(control, _, _, G, G).
resolved(special, _, _, G0, G) :-
    special(G0, G).
resolved(safe, _, _, G0, G) :-
    (   predicate_property(bk:G0, meta_predicate(Spec))
    ->  meta_arguments(G0, Spec, G)
    ;   G = G0
    ).
resolved(refused, Name, Arity, _, maxsynth:refuse(Name, Arity)).
resolved(unknown, _, _, G, maxsynth:run(G)).

qualified(M, G, maxsynth:run(M:G)) :-
    ( var(M) ; var(G) ), !.
qualified(M, G0, G) :-
    ( M == bk ; M == user ), !,
    goal(G0, G).
qualified(maxsynth, G, maxsynth:G) :-       % the body of a rule, found by clause/2
    callable(G),
    functor(G, run, Arity),
    between(1, 8, Arity), !.
qualified(M, G0, M:G0) :-
    callable(G0),
    functor(G0, Name, Arity),
    resolve_foreign(Name, Arity, Home),
    ( M == Home ; M == system, Home == system ),
    \+ predicate_property(Home:G0, meta_predicate(_)),
    \+ special(G0, _), !.
qualified(M, G, maxsynth:refuse(M:Name, Arity)) :-
    (   callable(G) -> functor(G, Name, Arity) ; throw(error(type_error(callable, M:G), _)) ).

% Where a harmless predicate that the BK does not define itself lives.
resolve_foreign(Name, Arity, system) :-
    safe(Name, Arity), !.
resolve_foreign(Name, Arity, Module) :-
    from_library(Name, Arity, Module).

resolve(Name, Arity, Kind) :-
    own(Name, Arity), !,
    Kind = own.
resolve(Name, Arity, Kind) :-
    kind(Name, Arity, Known), !,
    Kind = Known.
resolve(Name, Arity, Kind) :-
    resolve_fresh(Name, Arity, Found),
    ( Found == unknown -> true ; assertz(kind(Name, Arity, Found)) ),
    Kind = Found.

resolve_fresh(Name, Arity, control) :-
    control(Name, Arity), !.
resolve_fresh(Name, Arity, special) :-
    ( lambda_name(Name), Arity >= 2 ; Name == call, Arity >= 1 ; special_name(Name, Arity) ), !.
resolve_fresh(Name, Arity, safe) :-
    safe(Name, Arity),
    functor(Head, Name, Arity),
    predicate_property(system:Head, defined), !.
resolve_fresh(Name, Arity, safe) :-
    from_library(Name, Arity, Module), !,
    @(import(Module:Name/Arity), bk).
resolve_fresh(Name, Arity, refused) :-
    functor(Head, Name, Arity),
    ( predicate_property(system:Head, defined) ; '$in_library'(Name, Arity, _) ), !.
resolve_fresh(_, _, unknown).

control(!, 0).
control(',', 2).
control(;, 2).
control(->, 2).
control(*->, 2).
control(\+, 1).
control(:, 2).

special_name(Name, Arity) :-
    functor(Head, Name, Arity),
    ( output_to_stream(Head, _) ; clause(replaced(Head, _), _) ), !.

% A library that the BK named, or one that SWI-Prolog would load by itself; in both cases only from the list.
from_library(Name, Arity, Module) :-
    used(Module),
    exports(Module, Name, Arity), !.
from_library(Name, Arity, Module) :-
    '$in_library'(Name, Arity, Path),
    file_base_name(Path, Base),
    safe_library(Base),
    \+ bundled(Base),
    load_files(maxsynth:library(Base), [if(not_loaded), imports([]), silent(true)]),
    library_module(Base, Module),
    exports(Module, Name, Arity), !.

exports(Module, Name, Arity) :-
    \+ harmful(Module, Name),
    module_property(Module, exports(List)),
    memberchk(Name/Arity, List).

meta_arguments(G0, Spec, G) :-
    G0 =.. [Name|As0],
    Spec =.. [_|Ss],
    meta_each(Ss, As0, As),
    G =.. [Name|As].

meta_each([], [], []).
meta_each([S|Ss], [A0|As0], [A|As]) :-
    meta_argument(S, A0, A),
    meta_each(Ss, As0, As).

meta_argument(0, A0, A) :- !,
    goal(A0, A).
meta_argument(N, A0, A) :-
    integer(N), !,
    closure(A0, N, A).
meta_argument(^, A0, A) :- !,
    existential(A0, A).
meta_argument(//, A0, maxsynth:run_dcg(A0)) :- !.
meta_argument(_, A, A).

existential(G, maxsynth:run(G)) :-
    var(G), !.
existential(V^G0, V^G) :- !,
    existential(G0, G).
existential(M:G0, G) :-
    nonvar(M),
    ( M == bk ; M == user ), !,
    existential(G0, G).
existential(G0, G) :-
    goal(G0, G).

% closure(+P0, +N, -P): call(P, A1, ..., AN) does what call(P0, A1, ..., AN) does.
closure(P, _, maxsynth:run(P)) :-
    var(P), !.
closure(P0, 0, P) :- !,
    goal(P0, P).
closure(M:P0, N, P) :-
    nonvar(M),
    ( M == bk ; M == user ), !,
    closure(P0, N, P).
closure(M:P, _, maxsynth:run(M:P)) :- !.
closure(P0, N, P) :-
    lambda(P0, N, P1), !,
    P = P1.
closure(P0, N, P) :-
    callable(P0), !,
    P0 =.. Parts,
    length(Fresh, N),
    append(Parts, Fresh, More),
    G0 =.. More,
    goal(G0, G),
    ( G == G0 -> P = P0 ; P = maxsynth:run(P0) ).
closure(P, _, _) :-
    throw(error(type_error(callable, P), _)).

lambda_name(>>).
lambda_name(/).

% A lambda of library(yall) copies itself before each call, so its body is rewritten in place.
lambda(Free/P0, N, Free/P) :-
    closure(P0, N, P),
    need_lambda(/, N).
lambda(Parameters>>P0, N, Parameters>>P) :-
    parameters(Parameters, List),
    length(List, Taken),
    Left is max(0, N-Taken),
    closure(P0, Left, P),
    need_lambda(>>, N).

parameters(Parameters, _) :-
    var(Parameters), !,
    fail.
parameters(_/Parameters, List) :- !,
    parameters(Parameters, List).
parameters(List, List) :-
    is_list(List).

need_lambda(Name, N) :-
    Arity is N+2,
    load_files(maxsynth:library(yall), [if(not_loaded), imports([]), silent(true)]),
    ( own(Name, Arity) -> true ; @(import(yall:Name/Arity), bk) ).

/* --- predicates that BK gets in another form ------------------------------------------------------------ */

special(G0, G) :-
    compound(G0),
    G0 =.. [Name, A0, B0|Args],
    lambda_name(Name), !,
    length(Args, N),
    Lambda0 =.. [Name, A0, B0],
    (   lambda(Lambda0, N, Lambda)
    ->  Lambda =.. Parts,
        append(Parts, Args, All),
        G =.. All
    ;   throw(error(type_error(lambda_expression, Lambda0), _))
    ).
special(G0, G) :-
    compound(G0),
    G0 =.. [call, P0|Args], !,
    length(Args, N),
    ( N =< 7 -> true ; throw(error(representation_error(max_call_arity), _)) ),
    (   var(P0)
    ->  G1 =.. [run, P0|Args],
        G = maxsynth:G1
    ;   closure(P0, N, P),
        G =.. [call, P|Args]
    ).
special(G, maxsynth:print_to(Stream, G)) :-
    output_to_stream(G, Stream), !.
special(G0, G) :-
    replaced(G0, G), !.

replaced(catch(G0, E, R0), catch(G, E0, maxsynth:recover(E0, E, R))) :-
    goal(G0, G),
    goal(R0, R).
replaced(catch_with_backtrace(G0, E, R0), G) :-
    replaced(catch(G0, E, R0), G).
replaced(V^G0, V^G) :-
    existential(G0, G).
replaced(assert(C), maxsynth:add(assertz, C)).
replaced(assertz(C), maxsynth:add(assertz, C)).
replaced(asserta(C), maxsynth:add(asserta, C)).
replaced(retract(C), maxsynth:remove(C)).
replaced(retractall(H), maxsynth:remove_all(H)).
replaced(clause(H, B), maxsynth:look_up(H, B)).
replaced(dynamic(Specs), maxsynth:declare(Specs, 0)).
replaced(current_predicate(Spec), maxsynth:known(Spec)).
replaced(phrase(B, L), maxsynth:run_dcg(B, L, [])).
replaced(phrase(B, L, R), maxsynth:run_dcg(B, L, R)).
replaced(op(P, T, N), maxsynth:operator(P, T, N)).
replaced(nb_setval(K, V), maxsynth:set_global(nb_setval, K, V)).
replaced(b_setval(K, V), maxsynth:set_global(b_setval, K, V)).
replaced(print_message(_, _), true).
replaced(format(F), maxsynth:print_formatted(F, [])).
replaced(format(F, As), maxsynth:print_formatted(F, As)).
replaced(format(Sink, F, As), maxsynth:print_formatted(Sink, F, As)).
replaced(write_term(T, Os), maxsynth:print_term(T, Os)).

output_to_stream(write(S, _), S).
output_to_stream(writeln(S, _), S).
output_to_stream(writeq(S, _), S).
output_to_stream(print(S, _), S).
output_to_stream(write_canonical(S, _), S).
output_to_stream(nl(S), S).
output_to_stream(tab(S, _), S).
output_to_stream(put_char(S, _), S).
output_to_stream(flush_output(S), S).

refuse(Name, Arity) :-
    throw(error(permission_error(refused, predicate, Name/Arity), _)).

undefined(Name, Arity) :-
    throw(error(existence_error(procedure, Name/Arity), _)).

run(G) :-
    var(G), !,
    throw(error(instantiation_error, _)).
run(M:G) :-
    nonvar(M),
    ( M == bk ; M == user ), !,
    run(G).
run(M:G) :-
    ( var(M) ; var(G) ), !,
    throw(error(instantiation_error, _)).
run(G0) :-
    callable(G0),
    functor(G0, Name, Arity),
    resolve(Name, Arity, unknown), !,
    undefined(Name, Arity).
run(G0) :-
    goal(G0, G),
    call(bk:G).

run(P, A) :- own_closure(P, 1), !, call(bk:P, A).
run(P, A) :- extend(P, [A], G), run(G).
run(P, A, B) :- own_closure(P, 2), !, call(bk:P, A, B).
run(P, A, B) :- extend(P, [A, B], G), run(G).
run(P, A, B, C) :- own_closure(P, 3), !, call(bk:P, A, B, C).
run(P, A, B, C) :- extend(P, [A, B, C], G), run(G).
run(P, A, B, C, D) :- extend(P, [A, B, C, D], G), run(G).
run(P, A, B, C, D, E) :- extend(P, [A, B, C, D, E], G), run(G).
run(P, A, B, C, D, E, F) :- extend(P, [A, B, C, D, E, F], G), run(G).
run(P, A, B, C, D, E, F, H) :- extend(P, [A, B, C, D, E, F, H], G), run(G).

own_closure(P, N) :-
    callable(P),
    functor(P, Name, Arity0),
    Arity is Arity0+N,
    own(Name, Arity).

extend(P, _, _) :-
    var(P), !,
    throw(error(instantiation_error, _)).
extend(M:P, Args, M:G) :- !,
    extend(P, Args, G).
extend(P, Args, G) :-
    callable(P), !,
    P =.. Parts,
    append(Parts, Args, All),
    G =.. All.
extend(P, _, _) :-
    throw(error(type_error(callable, P), _)).

run_dcg(Body, L, R) :-
    (   var(Body) -> throw(error(instantiation_error, _)) ; true ),
    dcg_translate_rule((x --> Body), (x(S0, S) :- Goal)),
    S0 = L,
    S = R,
    run(Goal).

% An exhausted budget is not an error that BK may catch.
recover(E0, _, _) :-
    uncatchable(E0), !,
    throw(E0).
recover(E0, E, R) :-
    E0 = E, !,
    call(bk:R).
recover(E0, _, _) :-
    throw(E0).

uncatchable(E) :-
    nonvar(E),
    ( E = inference_limit_exceeded ; E = inference_limit_exceeded(_) ; E = '$aborted' ; E = unwind(_) ).

add(How, Clause) :-
    memberchk(How, [assertz, asserta]),
    stored_clause(Clause, Head, Body0),
    ( Body0 == true -> Body = true ; goal(Body0, Body) ),
    call(How, bk:(Head :- Body)),
    functor(Head, Name, Arity),
    ( own(Name, Arity) -> true ; declare(Name, Arity, 0) ).

% As plain_clause/3, but an asserted --> is a fact like any other.
stored_clause(Clause, Head, Body) :-
    nonvar(Clause),
    Clause = (_ --> _), !,
    Head = Clause,
    Body = true.
stored_clause(Clause, Head, Body) :-
    plain_clause(Clause, Head, Body).

remove(Clause) :-
    stored_clause(Clause, Head, Body),
    retract(bk:(Head :- Body)).

remove_all(Head0) :-
    plain_head(Head0, Head),
    retractall(bk:Head),
    functor(Head, Name, Arity),
    ( own(Name, Arity) -> true ; declare(Name, Arity, 0) ).

look_up(Head0, Body) :-
    plain_head(Head0, Head),
    functor(Head, Name, Arity),
    (   own(Name, Arity)
    ->  clause(bk:Head, Body)
    ;   throw(error(permission_error(access, private_procedure, Name/Arity), _))
    ).

known(Spec) :-
    var(Spec), !,
    throw(error(instantiation_error, _)).
known(M:Spec) :- !,
    local(M, Spec),
    known(Spec).
known(Name/Arity) :-
    own(Name, Arity),
    functor(Head, Name, Arity),
    predicate_property(bk:Head, number_of_clauses(N)),
    N > 0.

% The libraries keep their own state under names that begin with a dollar.
set_global(How, Key, Value) :-
    memberchk(How, [nb_setval, b_setval]),
    (   atom(Key),
        \+ sub_atom(Key, 0, _, _, $)
    ->  call(How, Key, Value)
    ;   throw(error(permission_error(modify, global_variable, Key), _))
    ).

print_formatted(Format, Args) :-
    check_format(Format),
    @(format(Format, Args), bk).

print_formatted(Sink, Format, Args) :-
    check_sink(Sink),
    check_format(Format),
    @(format(Sink, Format, Args), bk).

check_sink(Sink) :-
    nonvar(Sink),
    memberchk(Sink, [atom(_), string(_), codes(_), codes(_, _), chars(_), chars(_, _), user_output, user_error]), !.
check_sink(Sink) :-
    throw(error(permission_error(output, stream, Sink), _)).

% ~@ calls its argument; ~W takes options, of which one calls its argument.
check_format(Format) :-
    (   var(Format) -> throw(error(instantiation_error, _)) ; true ),
    catch(text_to_string(Format, String), _, throw(error(type_error(text, Format), _))),
    string_codes(String, Codes),
    (   calls_goal(Codes)
    ->  throw(error(permission_error(refused, predicate, 'format ~@ or ~W'/2), _))
    ;   true
    ).

calls_goal([0'~|Codes]) :- !,
    directive_letter(Codes, Letter, Rest),
    ( memberchk(Letter, [0'@, 0'W]) -> true ; calls_goal(Rest) ).
calls_goal([_|Codes]) :-
    calls_goal(Codes).

directive_letter([0'`, _|Codes], Letter, Rest) :- !,
    directive_letter(Codes, Letter, Rest).
directive_letter([C|Codes], Letter, Rest) :-
    ( 0'0 =< C, C =< 0'9 ; C == 0'* ; C == 0': ), !,
    directive_letter(Codes, Letter, Rest).
directive_letter([Letter|Rest], Letter, Rest).

% The option portray_goal calls its argument.
print_term(Term, Options) :-
    is_list(Options),
    \+ ( member(O, Options), ( var(O) ; \+ functor(O, _, 1) ; functor(O, portray_goal, _) ) ), !,
    write_term(Term, Options).
print_term(_, _) :-
    refuse(write_term, 2).

print_to(Stream, Goal) :-
    output_to_stream(Goal, Stream),
    (   memberchk(Stream, [user_output, user_error])
    ->  call(Goal)
    ;   throw(error(permission_error(output, stream, Stream), _))
    ).

/* --- what is harmless ----------------------------------------------------------------------------------- */

% Libraries that compute and do nothing else. Their predicates declare the arguments they call.
safe_library(Name) :-
    memberchk(Name, [aggregate, apply, apply_macros, assoc, clpfd, clp/clpfd, dcg/basics, dif, error, gensym, heaps,
                     lists, nb_set, occurs, option, ordsets, pairs, random, rbtrees, solution_sequences, sort,
                     tabling, terms, ugraphs, varnumbers, when, yall, debug]).

harmful(Module, Name) :-
    memberchk(Module, [debug, prolog_debug]),
    \+ Name == assertion.       % debug/3 formats, and format can call
harmful(error, Name) :-
    \+ memberchk(Name, [must_be, is_of_type, type_error, domain_error, existence_error, permission_error,
                        instantiation_error, resource_error, representation_error, syntax_error]).
harmful(yall, Name) :-
    \+ lambda_name(Name).

safe(Name, Arity) :-
    safe_builtins(Arity, Names),
    memberchk(Name, Names), !.

% Built-in predicates by arity. Those that call an argument say so in their meta_predicate declaration.
safe_builtins(0, [true, fail, false, repeat, nl, garbage_collect, abolish_all_tables]).
safe_builtins(1, [once, ignore, not, throw]).
safe_builtins(1, [var, nonvar, atom, number, integer, float, rational, atomic, compound, callable, is_list, string,
                  ground, is_dict, is_assoc, cyclic_term, acyclic_term, attvar]).
safe_builtins(1, [write, print, writeln, writeq, write_canonical, tab, put_char, get_time, numbervars]).
safe_builtins(2, [=, \=, ==, \==, @<, @>, @=<, @>=, =@=, \=@=, ?=, unify_with_occurs_check, subsumes_term]).
safe_builtins(2, [is, =:=, =\=, <, >, =<, >=, succ]).
safe_builtins(2, [length, msort, sort, keysort, =.., copy_term, copy_term_nat, duplicate_term,
                  term_variables, term_hash, forall, call_cleanup, freeze, frozen, dif, when, with_output_to,
                  nb_getval, b_getval, nb_current, statistics, current_prolog_flag]).
safe_builtins(2, [atom_codes, atom_chars, char_code, atom_length, number_codes, number_chars, atom_number,
                  atom_string, string_chars, string_codes, string_to_atom, string_length, number_string,
                  string_lower, string_upper, upcase_atom, downcase_atom, term_to_atom, term_string, text_to_string,
                  char_type, code_type, atomic_list_concat, normalize_space, text_length,
                  collation_key]).
safe_builtins(3, [functor, arg, compare, compound_name_arity, compound_name_arguments, term_variables, numbervars,
                  findall, bagof, setof, aggregate_all, between, plus, predsort, rational, unifiable, current_op,
                  setup_call_cleanup, call_with_depth_limit, flag]).
safe_builtins(3, [atom_concat, string_concat, atomic_list_concat, atom_to_term, text_concat, string_code,
                  get_string_code, sub_atom_icasechk]).
safe_builtins(4, [sort, findall, findnsols, split_string]).
safe_builtins(5, [sub_atom, sub_string, findnsols]).
